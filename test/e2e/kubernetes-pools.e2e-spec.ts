import { expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import {
  KubernetesStage,
  LABELS,
  POOL,
  SEE_PODS,
  SEE_POOLS,
  sees,
  UNAVAILABLE,
  withKubernetes,
} from './support/kubernetes.stage.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

withKubernetes('the picker and a real API server: pools', () => {
  const stage = KubernetesStage.use();

  it('is not healthy until the pool is there, and serves from then on', async () => {
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await eventually(() => picker.process.output.includes('there is no such pool'));
    expect([await picker.health(), await picker.health('liveness')]).toEqual(['NOT_SERVING', 'SERVING']);
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await sees(picker, '127.0.0.11:8000');
    expect([await picker.health(), await picker.pick()]).toEqual(['SERVING', '127.0.0.11:8000']);
  });

  it('is not healthy where such pools are not defined', async () => {
    const group = 'pools.example.org';
    const rules = [{ ...SEE_POOLS, apiGroups: [group] }, SEE_PODS];
    const picker = await stage.picker({ flags: [POOL, `--pool-group=${group}`], rules });
    await eventually(() => picker.process.output.includes('Kubernetes answered 404'));
    expect([await picker.health(), await picker.pick()]).toEqual(['NOT_SERVING', UNAVAILABLE]);
  });

  it('is healthy with a pool that has no pods, and turns requests away', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    const picker = await stage.picker();
    await eventually(async () => (await picker.health()) === 'SERVING');
    expect(await picker.pick()).toBe(UNAVAILABLE);
    await stage.pod('a', '127.0.0.11');
    await sees(picker, '127.0.0.11:8000');
    expect(await picker.pick()).toBe('127.0.0.11:8000');
  });

  it('goes on with another selector and other ports when the pool has them', async () => {
    const gpu = { app: 'vllm', tier: 'gpu' };
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    await stage.pod('b', '127.0.0.12', { labels: gpu });
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000');
    await stage.namespace.pool('vllm', gpu, [8000]);
    await sees(picker, '127.0.0.12:8000');
    await stage.namespace.pool('vllm', gpu, [9000]);
    await sees(picker, '127.0.0.12:9000');
    await stage.namespace.pool('vllm', LABELS, [9000]);
    await sees(picker, '127.0.0.11:9000', '127.0.0.12:9000');
  });

  it('says 503 when the pool is deleted, and serves again when it is made anew', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000');
    await stage.namespace.removePool('vllm');
    await sees(picker);
    expect(await picker.pick()).toBe(UNAVAILABLE);
    await stage.namespace.pool('vllm', LABELS, [9000]);
    await sees(picker, '127.0.0.11:9000');
    expect(await picker.pick()).toBe('127.0.0.11:9000');
  });

  it('takes no pool that selects every pod', async () => {
    await stage.namespace.pool('vllm', {}, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await eventually(() => picker.process.output.includes('the pool cannot be used as it is'));
    expect([await picker.health(), await picker.pick()]).toEqual(['NOT_SERVING', UNAVAILABLE]);
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await sees(picker, '127.0.0.11:8000');
  });

  it('is healthy whichever protocol the pool has, and where it says none', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.namespace.pool('vllm-h2c', LABELS, [9000], { appProtocol: 'kubernetes.io/h2c' });
    await stage.pod('a', '127.0.0.11');
    for (const [name, endpoint] of [
      ['vllm', '127.0.0.11:8000'],
      ['vllm-h2c', '127.0.0.11:9000'],
    ] as const) {
      const picker = await stage.picker({ flags: [`--pool-name=${name}`] });
      await sees(picker, endpoint);
      expect(await picker.health()).toBe('SERVING');
    }
  });

  it('takes a pool of the group that was before v1', async () => {
    const group = 'inference.networking.x-k8s.io';
    await stage.server.api.apply({
      apiVersion: `${group}/v1alpha2`,
      kind: 'InferencePool',
      metadata: { name: 'vllm', namespace: stage.namespace.name },
      spec: { selector: LABELS, targetPortNumber: 8000, extensionRef: { name: 'picker' } },
    });
    await stage.pod('a', '127.0.0.11');
    const rules = [{ ...SEE_PODS, apiGroups: ['', group], resources: ['pods', 'inferencepools'] }];
    const picker = await stage.picker({ flags: [POOL, `--pool-group=${group}`], rules });
    await sees(picker, '127.0.0.11:8000');
    expect(await picker.health()).toBe('SERVING');
  });

  const ports = (...numbers: readonly number[]): readonly object[] => numbers.map((number) => ({ number }));
  const selector = { matchLabels: LABELS };
  it.each([
    ['no ports', { selector, targetPorts: [] }],
    ['nine ports', { selector, targetPorts: ports(1, 2, 3, 4, 5, 6, 7, 8, 9) }],
    ['the same port twice', { selector, targetPorts: ports(8000, 8000) }],
    ['a port that is none', { selector, targetPorts: ports(0) }],
    ['no selector', { targetPorts: ports(8000) }],
    ['a protocol that nobody knows', { selector, targetPorts: ports(8000), appProtocol: 'gopher' }],
    ['a field that a pool does not have', { selector, targetPorts: ports(8000), targetPort: 8000 }],
  ])('is never shown a pool with %s', async (_what, spec) => {
    const metadata = { name: 'vllm', namespace: stage.namespace.name };
    const pool = { apiVersion: 'inference.networking.k8s.io/v1', kind: 'InferencePool', metadata, spec };
    await expect(stage.server.api.apply(pool, { isDryRun: true })).rejects.toThrow('the API server answered');
  });
});
