import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { CASES, QUEUED } from './helm.cases.ts';
import { hasHelm, rendered } from './helm.chart.ts';
import type { Values } from './helm.chart.ts';
import { dataOf, only, podsOf, titleOf } from './manifests.ts';
import type { Container, ManifestPod } from './manifests.ts';

const withHelm = hasHelm ? describe : describe.skip;
const EVERYTHING = CASES['with everything on'] ?? {};

async function podOf(values: Values, name: string): Promise<ManifestPod> {
  const pod = podsOf(await rendered(values)).find(({ of }) => of === `Deployment/${name}`);
  if (pod === undefined) throw new Error(`there is no Deployment ${name}`);
  return pod;
}

function containerOf({ spec }: ManifestPod): Container {
  const [container] = spec.containers;
  if (container === undefined) throw new Error('there is no container');
  return container;
}

withHelm('pods of the chart', () => {
  it.each([
    { listen: ':8080', secure: false, port: 8080, scheme: 'HTTP' },
    { listen: '0.0.0.0:8443', secure: true, port: 8443, scheme: 'HTTPS' },
    { listen: '[::]:9000', secure: false, port: 9000, scheme: 'HTTP' },
  ])('are asked at the port of $listen, by $scheme', async ({ listen, secure, port, scheme }) => {
    const config = { server: { listen_addr: listen, secure_serving: secure } };
    const container = containerOf(await podOf({ coordinator: { config } }, 'llm-d-coordinator'));
    const health = { path: '/healthz', port: 'api', scheme };
    expect(container).toMatchObject({
      ports: [
        { name: 'api', containerPort: port },
        { name: 'metrics', containerPort: 9090 },
      ],
      startupProbe: { httpGet: health },
      livenessProbe: { httpGet: health },
      readinessProbe: { httpGet: { path: '/readyz', port: 'api', scheme } },
    });
  });

  it('are asked by gRPC where they are pickers, at the port that answers while they drain', async () => {
    expect(containerOf(await podOf({}, 'llm-d-picker'))).toMatchObject({
      livenessProbe: { grpc: { port: 9003, service: 'liveness' } },
      readinessProbe: { grpc: { port: 9003, service: 'readiness' } },
    });
  });

  it.each([
    { timeout: '25s', grace: 40 },
    { timeout: '1m30s', grace: 105 },
    { timeout: '1.5h', grace: 5415 },
    { timeout: '500ms', grace: 16 },
    { timeout: '0', grace: 15 },
  ])('have more time to end than the program: $timeout makes $grace', async ({ timeout, grace }) => {
    const values = {
      coordinator: { config: { server: { shutdown_timeout: timeout } } },
      picker: { flags: { 'shutdown-timeout': timeout } },
    };
    for (const name of ['llm-d-coordinator', 'llm-d-picker']) {
      expect((await podOf(values, name)).spec.terminationGracePeriodSeconds).toBe(grace);
    }
  });

  it('of the picker keep flags that other manifests depend on, and numbers as they are', async () => {
    const flags = { 'grpc-port': 1, 'pool-name': 'mine', 'grpc-max-recv-msg-size': 100_000_000 };
    const { args } = containerOf(await podOf({ picker: { flags } }, 'llm-d-picker'));
    expect(args).toEqual(
      expect.arrayContaining(['--grpc-port=9002', '--pool-name=llm-d', '--grpc-max-recv-msg-size=100000000']),
    );
    const names = args.map((arg) => arg.split('=')[0]);
    expect(names).toEqual([...new Set(names)]);
  });

  it('have each variable once, and those of the values win over those of tracing', async () => {
    const env = [{ name: 'OTEL_TRACES_SAMPLER_ARG', value: '1' }];
    const values = { tracing: { endpoint: 'http://collector:4317' }, coordinator: { env }, picker: { env } };
    for (const name of ['llm-d-coordinator', 'llm-d-picker']) {
      const variables = containerOf(await podOf(values, name)).env;
      expect(variables).toContainEqual({ name: 'OTEL_TRACES_SAMPLER_ARG', value: '1' });
      expect(variables.map((variable) => variable.name)).toEqual([
        ...new Set(variables.map((variable) => variable.name)),
      ]);
    }
  });

  it('see certificates as folders, in which a new one appears', async () => {
    const { spec } = await podOf(EVERYTHING, 'inference-coordinator');
    expect(spec.volumes).toMatchObject([
      { name: 'config', configMap: { name: 'inference-coordinator-config' } },
      { name: 'gateway-ca', configMap: { name: 'gateway-authority' } },
      { name: 'metrics-tls', secret: { secretName: 'metrics-certificate' } },
      { name: 'tls', secret: { secretName: 'certificate' } },
    ]);
    for (const mount of spec.containers.flatMap(({ volumeMounts }) => volumeMounts)) {
      expect(mount).not.toHaveProperty('subPath');
    }
    const picker = containerOf(await podOf(EVERYTHING, 'inference-picker'));
    expect(picker.args).toEqual(expect.arrayContaining(['--cert-path=/etc/picker-tls', '--enable-cert-reload=true']));
  });

  it('have an image by its digest where there is one, else by its tag', async () => {
    expect(containerOf(await podOf(EVERYTHING, 'inference-coordinator')).image).toMatch(/coordinator@sha256:0{64}$/);
    expect(containerOf(await podOf({ picker: { image: { tag: 'x' } } }, 'llm-d-picker')).image).toMatch(/picker:x$/);
  });
});

withHelm('rights', () => {
  it.each(Object.entries(CASES))('%s are to list and watch, and nobody else has a token', async (_, values) => {
    const objects = await rendered(values);
    for (const role of objects.filter(({ kind }) => kind.endsWith('Role'))) {
      // objectives are the picker's alone
      const objectives = role.metadata.name.endsWith('-picker') ? [{ resources: ['inferenceobjectives'] }] : [];
      expect(role).toMatchObject({
        kind: 'Role',
        rules: [
          { resources: ['inferencepools'], resourceNames: expect.any(Array) },
          { resources: ['pods'] },
          ...objectives,
        ].map((rule) => ({ ...rule, verbs: ['list', 'watch'] })),
      });
    }
    for (const { of, spec } of podsOf(objects)) {
      expect([of, spec['automountServiceAccountToken']]).toEqual([of, /^Deployment\/.*picker/.test(of)]);
    }
  });

  it('of the sidecar are there with SSRF protection alone', async () => {
    const picker = { mode: 'sidecar' };
    const names = async (enabled: boolean) =>
      (await rendered({ picker, sidecar: { ssrfProtection: { enabled, serviceAccounts: ['decode'] } } }))
        .filter(({ kind }) => kind === 'RoleBinding')
        .map(({ metadata }) => metadata.name);
    expect(await names(true)).toEqual(['llm-d-picker', 'llm-d-sidecar']);
    expect(await names(false)).toEqual(['llm-d-picker']);
  });
});

withHelm('scaling', () => {
  it('is by CPU and by requests in flight, and then there is no number of replicas to fall back to', async () => {
    const objects = await rendered(EVERYTHING);
    expect(only(objects, 'HorizontalPodAutoscaler')['spec']).toMatchObject({
      scaleTargetRef: { name: 'inference-coordinator' },
      metrics: [
        { resource: { name: 'cpu', target: { averageUtilization: 70 } } },
        { pods: { metric: { name: 'llm_d_coordinator_request_running' }, target: { averageValue: '50' } } },
      ],
    });
    expect(only(objects, 'Deployment', 'inference-coordinator')['spec']).not.toHaveProperty('replicas');
  });
});

withHelm('what queues requests', () => {
  const values = CASES['with queued requests, and everything on'] ?? {};

  it.each(['coordinator', 'async-worker'])('has the password of Redis from a Secret: %s', async (name) => {
    const { spec } = await podOf(values, `llm-d-${name}`);
    expect(spec.volumes).toContainEqual({ name: 'redis', secret: { secretName: 'redis', defaultMode: 0o440 } });
    const folder = { name: 'redis', mountPath: `/etc/${name}-redis`, readOnly: true };
    for (const { volumeMounts } of [...spec.initContainers, ...spec.containers]) {
      expect(volumeMounts).toContainEqual(folder);
    }
    const file = dataOf(only(await rendered(values), 'ConfigMap', `llm-d-${name}-config`))[`${name}.yaml`];
    expect(file).toContain(`password_file: /etc/${name}-redis/password`);
    expect(file).toContain(`ca_file: /etc/${name}-redis-ca/ca.crt`);
  });

  it('mounts nothing of Redis where nothing is queued', async () => {
    const { spec } = await podOf({ redis: { url: 'redis://redis', secretName: 'redis' } }, 'llm-d-coordinator');
    expect(spec.volumes.map(({ name }) => name)).toEqual(['config']);
  });

  it('has the worker call the coordinator of the release, by TLS where that has it', async () => {
    const address = async (given: Values): Promise<unknown> =>
      parse(dataOf(only(await rendered(given), 'ConfigMap', 'llm-d-async-worker-config'))['async-worker.yaml'] ?? '');
    expect(await address(QUEUED)).toMatchObject({ coordinator: { address: 'http://llm-d-coordinator:8080' } });
    const coordinator = {
      address: 'https://llm-d-coordinator:8080',
      ca_file: '/etc/async-worker-coordinator-ca/ca.crt',
    };
    expect(await address(values)).toMatchObject({ coordinator });
  });

  it('scales the worker by what waits, which is the same for each pod', async () => {
    expect(only(await rendered(values), 'HorizontalPodAutoscaler')['spec']).toMatchObject({
      scaleTargetRef: { name: 'llm-d-async-worker' },
      metrics: [
        { resource: { name: 'cpu' } },
        { external: { metric: { name: 'llm_d_async_worker_queue_depth' }, target: { averageValue: '100' } } },
      ],
    });
  });

  it.each([
    { timeout: '5m', grace: 315 },
    { timeout: '10s', grace: 25 },
  ])('gives the worker more time to end than it takes: $timeout makes $grace', async ({ timeout, grace }) => {
    const asyncWorker = { enabled: true, config: { server: { shutdown_timeout: timeout } } };
    const { spec } = await podOf({ ...QUEUED, asyncWorker }, 'llm-d-async-worker');
    expect(spec.terminationGracePeriodSeconds).toBe(grace);
  });

  it('has rules and dashboards of the worker with it alone', async () => {
    const titles = async (given: Values) =>
      (await rendered({ ...given, monitoring: { rules: { enabled: true }, dashboards: { enabled: true } } }))
        .map(titleOf)
        .filter((title) => /^(PrometheusRule|ConfigMap)\/.*async-worker$/.test(title));
    expect(await titles(QUEUED)).toEqual([
      'ConfigMap/llm-d-dashboard-async-worker',
      'PrometheusRule/llm-d-async-worker',
    ]);
    expect(await titles({})).toEqual([]);
  });
});

withHelm('monitoring', () => {
  it('asks each Service for its metrics, by TLS where they are behind it', async () => {
    const endpoint = (name: string, scheme: string) => [
      `inference-${name}`,
      [expect.objectContaining({ port: 'metrics', scheme })],
    ];
    const monitors = (await rendered(EVERYTHING)).filter(({ kind }) => kind === 'ServiceMonitor');
    // a custom resource, of which the API server has seen that it is one
    const found = monitors.map(({ metadata, spec }) => [metadata.name, (spec as { endpoints: unknown }).endpoints]);
    expect(found).toEqual([endpoint('coordinator', 'https'), endpoint('picker', 'http')]);
  });

  it('has rules with what Prometheus puts in left for it, and the place of the runbook', async () => {
    const text = JSON.stringify(only(await rendered(EVERYTHING), 'PrometheusRule', 'inference-picker')['spec']);
    expect(text).toContain('{{ $value | humanizePercentage }}');
    expect(text).toContain('https://example.com/runbook#pickerrefusals');
    expect(text).not.toContain('docs/runbook.md');
  });

  it('has dashboards for what there is', async () => {
    const names = async (mode: string) =>
      (await rendered({ picker: { mode }, monitoring: { dashboards: { enabled: true } } }))
        .filter(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('-dashboard-'))
        .map(({ metadata, data }) => {
          for (const text of Object.values(data ?? {})) expect(parse(String(text))).toHaveProperty('panels');
          return metadata.name;
        });
    expect(await names('profiles')).toEqual(
      expect.arrayContaining(['llm-d-dashboard-coordinator-overview', 'llm-d-dashboard-picker']),
    );
    expect((await names('sidecar')).filter((name) => name.includes('coordinator'))).toEqual([]);
  });
});
