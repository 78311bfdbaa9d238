import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { checkProgram, programsOf } from './checked-program.ts';
import { decodePods } from './decode-pod.ts';
import { CASES } from './helm.cases.ts';
import { CHART, hasHelm, rendered } from './helm.chart.ts';
import { dataOf, only, podsOf } from './manifests.ts';

const withHelm = hasHelm ? describe : describe.skip;
const REPOSITORY = new URL('../../', import.meta.url);

withHelm.each(Object.entries(CASES))('configurations of the chart %s', (_, values) => {
  it('are taken by their programs, with the arguments that they have', async () => {
    const objects = await rendered(values);
    const pods = [...podsOf(objects), ...decodePods(objects)];
    const programs = pods.flatMap(({ spec }) => programsOf(spec).map((program) => ({ program, spec })));
    expect(programs.length).toBeGreaterThanOrEqual(3);
    for (const { program, spec } of programs) await checkProgram(program, spec, objects);
  });

  it('are looked at before a pod starts, and by helm test, by the container that runs but for --check', async () => {
    const objects = await rendered(values);
    const tests = podsOf(objects.filter(({ kind }) => kind === 'Pod'));
    for (const { of, spec } of podsOf(objects.filter(({ kind }) => kind === 'Deployment'))) {
      const [program] = programsOf({ ...spec, initContainers: [] }).map(([, container]) => container);
      if (program === undefined) continue;
      const checks = [
        spec.initContainers[0],
        tests.find((test) => test.of === `${of}-check`.replace('Deployment', 'Pod'))?.spec.containers[0],
      ];
      for (const check of checks) {
        const { image, env, volumeMounts } = program;
        expect(check).toMatchObject({ name: 'check', image, env, volumeMounts, args: [...program.args, '--check'] });
      }
    }
  });
});

withHelm('a configuration', () => {
  it('that does not work is refused by the program, where the schema of the values cannot know', async () => {
    const objects = await rendered({ coordinator: { config: { pipeline: { steps: [{ type: 'render' }] } } } });
    const pod = podsOf(objects).find(({ of }) => of === 'Deployment/llm-d-coordinator');
    const [program] = pod === undefined ? [] : programsOf(pod.spec);
    if (pod === undefined || program === undefined) throw new Error('there is no coordinator');
    await expect(checkProgram(program, pod.spec, objects)).rejects.toThrow('invalid');
  });

  it('that changes takes its pods with it', async () => {
    const annotations = await Promise.all(
      ['5s', '6s'].map(async (delay) => {
        const objects = await rendered({ coordinator: { config: { server: { drain_delay: delay } } } });
        return podsOf(objects).find(({ of }) => of === 'Deployment/llm-d-coordinator')?.metadata;
      }),
    );
    expect(annotations[0]).not.toEqual(annotations[1]);
  });
});

withHelm('what values add to a configuration', () => {
  it('is TLS, the authority of the gateway, spans, and the address of a bundled render', async () => {
    const objects = await rendered(CASES['with everything on'] ?? {});
    const config: unknown = parse(
      dataOf(only(objects, 'ConfigMap', 'inference-coordinator-config'))['coordinator.yaml'] ?? '',
    );
    expect(config).toMatchObject({
      tracing: true,
      server: {
        secure_serving: true,
        cert_path: '/etc/coordinator-tls',
        metrics_cert_dir: '/etc/coordinator-metrics-tls',
        drain_delay: '5s',
      },
      gateway: { ca_file: '/etc/coordinator-gateway-ca/ca.crt' },
      pipeline: {
        steps: expect.arrayContaining([{ type: 'render', params: { address: 'http://inference-render:8000' } }]),
      },
    });
  });

  it.each([
    { mode: 'profiles', stages: 'pd', files: { 'llm-d-picker-config': 'coordinator' } },
    {
      mode: 'roles',
      stages: 'pd',
      files: {
        'llm-d-picker-encode-config': 'encode',
        'llm-d-picker-prefill-config': 'prefill',
        'llm-d-picker-decode-config': 'decode',
      },
    },
    { mode: 'sidecar', stages: 'pd', files: { 'llm-d-picker-config': 'pd' } },
    { mode: 'sidecar', stages: 'epd', files: { 'llm-d-picker-config': 'epd' } },
  ])('is a picker configuration of config/epp in mode $mode with stages $stages', async ({ mode, stages, files }) => {
    const objects = await rendered({ picker: { mode, stages } });
    for (const [name, file] of Object.entries(files)) {
      const sample = readFileSync(new URL(`config/epp/${file}.yaml`, REPOSITORY), 'utf8');
      expect(dataOf(only(objects, 'ConfigMap', name))['picker.yaml']?.trim()).toBe(sample.trim());
    }
  });

  it('is a picker configuration of your own', async () => {
    const objects = await rendered({ picker: { configs: { coordinator: 'kind: Mine' } } });
    expect(dataOf(only(objects, 'ConfigMap', 'llm-d-picker-config'))).toEqual({ 'picker.yaml': 'kind: Mine\n' });
  });
});

describe('files of the chart', () => {
  it.each([
    ['files/picker', 'config/epp', '.yaml'],
    ['files/dashboards', 'dashboards/generated', '.json'],
    ['files/alerts', 'dashboards/alerts', '.rules.yaml'],
  ])('%s are those of %s, none beside them', (own, source, ends) => {
    const names = readdirSync(new URL(source, REPOSITORY)).filter((name) => name.endsWith(ends));
    expect(readdirSync(CHART + own).toSorted()).toEqual(names.toSorted());
  });
});
