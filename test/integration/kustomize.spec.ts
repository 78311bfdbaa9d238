import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { checkProgram, programsOf } from './checked-program.ts';
import { OVERLAYS, built, hasKustomize } from './kustomize.build.ts';
import { dataOf, only, podsOf, titleOf } from './manifests.ts';

const withKustomize = hasKustomize ? describe : describe.skip;
const CONFIG = new URL('../../config/', import.meta.url);
const CONFIG_MAP = 'llm-d-coordinator-config';

withKustomize('the base', () => {
  it('has the names of llm-d, the namespace of whoever applies it, and no configuration', async () => {
    const objects = await built('base');
    expect(objects.map(titleOf).toSorted()).toEqual([
      'Deployment/llm-d-coordinator',
      'Service/llm-d-coordinator',
      'ServiceAccount/llm-d-coordinator',
    ]);
    for (const { metadata } of objects) {
      expect(metadata.namespace).toBeUndefined();
      expect(metadata['labels']).toEqual({ app: 'llm-d-coordinator' });
    }
  });

  it('has the ports, the selector and the ConfigMap of llm-d', async () => {
    const objects = await built('base');
    expect(only(objects, 'Service')['spec']).toEqual({
      type: 'ClusterIP',
      selector: { app: 'llm-d-coordinator' },
      ports: [
        { name: 'http', port: 8080, targetPort: 'http' },
        { name: 'metrics', port: 9090, targetPort: 'metrics' },
      ],
    });
    expect(only(objects, 'Deployment')['spec']).toMatchObject({
      replicas: 1,
      selector: { matchLabels: { app: 'llm-d-coordinator' } },
      template: {
        spec: {
          serviceAccountName: 'llm-d-coordinator',
          containers: [
            {
              args: ['--config', '/etc/coordinator/coordinator.yaml'],
              ports: [
                { name: 'http', containerPort: 8080 },
                { name: 'metrics', containerPort: 9090 },
              ],
            },
          ],
          volumes: [{ configMap: { name: CONFIG_MAP } }],
        },
      },
    });
  });
});

withKustomize.each(OVERLAYS)('%s', (overlay) => {
  it('has configurations that their programs take, looked at before a pod starts', async () => {
    const objects = await built(overlay);
    const pods = podsOf(objects).filter(({ spec }) => programsOf(spec).length > 0);
    expect(pods.length).toBeGreaterThan(1);
    for (const { of, spec } of pods) {
      for (const program of programsOf(spec)) await checkProgram(program, spec, objects);
      const checked = spec.initContainers.filter(
        ({ args, ...rest }) => args.includes('--check') || 'restartPolicy' in rest,
      );
      expect([of, checked]).toHaveLength(2);
      expect(checked).not.toHaveLength(0);
    }
  });

  it('has no reference to a ConfigMap, an account, a picker or a pool that is not there', async () => {
    const objects = await built(overlay);
    const text = JSON.stringify(objects);
    const names = objects.map(titleOf);
    const referred = [
      ...[...text.matchAll(/"configMap":\{"name":"([^"]+)"/g)].map(([, name]) => `ConfigMap/${name}`),
      ...[...text.matchAll(/"serviceAccountName":"([^"]+)"/g)].map(([, name]) => `ServiceAccount/${name}`),
      ...[...text.matchAll(/"endpointPickerRef":\{[^}]*"name":"([^"]+)"/g)].map(([, name]) => `Service/${name}`),
      ...[...text.matchAll(/"kind":"InferencePool","name":"([^"]+)"/g)].map(([, name]) => `InferencePool/${name}`),
    ];
    expect(referred.length).toBeGreaterThan(3);
    expect(names).toEqual(expect.arrayContaining(referred));
  });

  it('has a way in for clients that takes what is not theirs, and no time limit on any route', async () => {
    const objects = await built(overlay);
    expect(JSON.stringify(only(objects, 'HTTPRoute', 'llm-d-clients'))).toMatch(/"remove":\["epp-profile",/);
    for (const { spec } of objects.filter(({ kind }) => kind === 'HTTPRoute')) {
      // the API server has seen that it is one
      for (const { timeouts } of (spec as { rules: { timeouts: unknown }[] }).rules) {
        expect(timeouts).toEqual({ request: '0s', backendRequest: '0s' });
      }
    }
  });
});

withKustomize('overlays with a coordinator', () => {
  it.each(OVERLAYS.slice(0, 3))('%s gives a pod more time to end than shutdown_timeout', async (overlay) => {
    const objects = await built(overlay);
    const config: unknown = parse(dataOf(only(objects, 'ConfigMap', CONFIG_MAP))['coordinator.yaml'] ?? '');
    expect(config).toMatchObject({ server: { drain_delay: '5s', shutdown_timeout: '25s' } });
    const pod = podsOf(objects).find(({ of }) => of === 'Deployment/llm-d-coordinator');
    expect(pod?.spec.terminationGracePeriodSeconds).toBeGreaterThan(25);
  });

  it('have a picker a role with its own pods: no Service finds those of another', async () => {
    const objects = await built('overlays/picker-per-role');
    for (const role of ['encode', 'prefill', 'decode']) {
      const labels = { app: 'llm-d-epp', 'llm-d.ai/picker': role };
      expect(only(objects, 'Service', `llm-d-epp-${role}`)['spec']).toMatchObject({ selector: labels });
      const pod = podsOf(objects).find(({ of }) => of === `Deployment/llm-d-epp-${role}`);
      expect(pod?.metadata).toMatchObject({ labels });
      expect(pod?.spec.containers[0]?.env).toContainEqual({ name: 'POOL', value: `llm-d-${role}` });
      expect(only(objects, 'InferencePool', `llm-d-${role}`)['spec']).toMatchObject({
        selector: { matchLabels: { 'llm-d.ai/inference-serving': 'true', 'llm-d.ai/role': role } },
        endpointPickerRef: { name: `llm-d-epp-${role}` },
      });
    }
  });
});

withKustomize('overlays/queued', () => {
  const OWN = 'overlays/queued';

  it('has the queue of the coordinator and of the worker in one Redis, and the worker call the coordinator', async () => {
    const objects = await built(OWN);
    const worker = only(
      objects.filter(({ metadata }) => metadata.name.startsWith('llm-d-async-worker-config')),
      'ConfigMap',
    );
    const config: unknown = parse(dataOf(only(objects, 'ConfigMap', CONFIG_MAP))['coordinator.yaml'] ?? '');
    const own: unknown = parse(dataOf(worker)['async-worker.yaml'] ?? '');
    const redis_url = 'redis://redis:6379';
    expect(config).toMatchObject({
      pipeline: { steps: expect.arrayContaining([{ type: 'async-broker', params: { redis_url } }]) },
    });
    expect(own).toMatchObject({
      redis_url,
      coordinator: { address: 'http://llm-d-coordinator:8080' },
      server: { shutdown_timeout: '5m' },
    });
    const pod = podsOf(objects).find(({ of }) => of === 'Deployment/llm-d-async-worker');
    expect(pod?.spec.terminationGracePeriodSeconds).toBeGreaterThan(300);
  });

  it('has, beside that step, the coordinator of one-picker', async () => {
    const [queued, plain] = await Promise.all(
      [OWN, 'overlays/one-picker'].map(
        async (path) =>
          // the program has checked it
          parse(dataOf(only(await built(path), 'ConfigMap', CONFIG_MAP))['coordinator.yaml'] ?? '') as {
            pipeline: { steps: { type: string }[] };
          },
      ),
    );
    const steps = queued?.pipeline.steps.filter(({ type }) => type !== 'async-broker');
    expect({ ...queued, pipeline: { ...queued?.pipeline, steps } }).toEqual(plain);
  });
});

withKustomize('overlays/decode-sidecar', () => {
  it('puts the sidecar before the engine, where it starts first and ends last', async () => {
    const pod = podsOf(await built('overlays/decode-sidecar')).find(({ of }) => of === 'Deployment/vllm-decode');
    expect(pod?.spec.initContainers).toMatchObject([{ name: 'sidecar', restartPolicy: 'Always' }]);
    expect(pod?.spec.containers).toMatchObject([{ name: 'vllm', lifecycle: { preStop: { sleep: { seconds: 10 } } } }]);
  });
});

describe('configurations beside the kustomizations', () => {
  it.each([
    ['overlays/one-picker/picker.yaml', 'epp/coordinator.yaml'],
    ['overlays/picker-per-role/encode/picker.yaml', 'epp/encode.yaml'],
    ['overlays/picker-per-role/prefill/picker.yaml', 'epp/prefill.yaml'],
    ['overlays/picker-per-role/decode/picker.yaml', 'epp/decode.yaml'],
    ['overlays/decode-sidecar/picker.yaml', 'epp/pd.yaml'],
    ['components/decode-sidecar/sidecar.yaml', 'sidecar/pd.yaml'],
  ])('%s is %s', (own, source) => {
    expect(readFileSync(new URL(`kubernetes/${own}`, CONFIG), 'utf8')).toBe(
      readFileSync(new URL(source, CONFIG), 'utf8'),
    );
  });
});
