import { expect, it, jest } from '@jest/globals';
import { eventually } from './support/eventually.ts';
import { KubernetesNamespace } from './support/kubernetes.namespace.ts';
import { KubernetesStage, LABELS, SEE_PODS, sees, UNAVAILABLE, withKubernetes } from './support/kubernetes.stage.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

withKubernetes('the picker and a real API server: pods', () => {
  const stage = KubernetesStage.use();

  it('follows pods as they come, become ready, change their labels and go', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    const picker = await stage.picker();
    await stage.pod('a', '127.0.0.11');
    await stage.pod('b', '127.0.0.12', { isReady: false });
    await stage.pod('c', '127.0.0.13', { labels: { app: 'other' } });
    await stage.pod('d', '127.0.0.14');
    await sees(picker, '127.0.0.11:8000', '127.0.0.14:8000');
    await stage.pod('b', '127.0.0.12');
    await stage.pod('c', '127.0.0.13');
    await sees(picker, '127.0.0.11:8000', '127.0.0.12:8000', '127.0.0.13:8000', '127.0.0.14:8000');
    await stage.pod('a', '127.0.0.11', { isReady: false });
    await stage.pod('b', '127.0.0.12', { labels: { app: 'other' } });
    await stage.namespace.removePod('c');
    await sees(picker, '127.0.0.14:8000');
    expect(await picker.pick()).toBe('127.0.0.14:8000');
  });

  it('picks no pod that is about to end', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000');
    await stage.namespace.terminatePod('a');
    await sees(picker);
    // still there, and still ready
    expect(await stage.namespace.podVersion('a')).not.toBe('');
    expect(await picker.pick()).toBe(UNAVAILABLE);
  });

  it('takes a pod with another address in the place of one with the same name', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000');
    await stage.namespace.removePod('a');
    await stage.pod('a', '127.0.0.12');
    await sees(picker, '127.0.0.12:8000');
  });

  it('sends requests to a pod that has an address of IPv6', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '::1');
    const picker = await stage.picker();
    await eventually(async () => (await picker.endpoints()).length === 1);
    expect(await picker.pick()).toBe('[::1]:8000');
  });

  it('takes the pods of its own namespace and pool, and no others', async () => {
    const other = await KubernetesNamespace.create(stage.server.api, `${stage.namespace.name}-other`);
    await other.pool('vllm', LABELS, [9000]);
    await other.pod('x', { address: '127.0.0.99', labels: LABELS });
    await stage.namespace.pool('vllm-2', { app: 'none' }, [8001]);
    await stage.namespace.pool('vllm', LABELS, [8000]);
    await stage.pod('a', '127.0.0.11');
    await sees(await stage.picker(), '127.0.0.11:8000');
  });

  it('has an endpoint for each port, but for those that a pod does not serve', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000, 8001]);
    await stage.pod('a', '127.0.0.11');
    await stage.pod('b', '127.0.0.12', { annotations: { 'llm-d.ai/active-ports': '8001' } });
    const picker = await stage.picker();
    await sees(picker, '127.0.0.11:8000', '127.0.0.11:8001', '127.0.0.12:8001');
    const names = ['a-rank-0', 'a-rank-1', 'b-rank-1'].map((name) => `${stage.namespace.name}/${name}`);
    expect(await picker.names()).toEqual(names);
  });

  it('knows all pods of a list that comes in pages', async () => {
    await stage.namespace.pool('vllm', LABELS, [8000]);
    const addresses = Array.from({ length: 120 }, (_, i) => `127.0.1.${i + 1}`);
    await Promise.all(addresses.map((address, i) => stage.pod(`pod-${i}`, address)));
    await sees(await stage.picker(), ...addresses.map((address) => `${address}:8000`).toSorted());
  });

  it('takes pods by a selector, without a pool', async () => {
    await stage.pod('a', '127.0.0.11', { labels: { app: 'vllm', tier: 'gpu' } });
    await stage.pod('b', '127.0.0.12', { labels: { app: 'vllm', tier: 'cpu' } });
    await stage.pod('c', '127.0.0.13');
    const flags = ['--endpoint-selector=app=vllm,tier in (gpu,tpu)', '--endpoint-target-ports=8000,8001'];
    const picker = await stage.picker({ flags, rules: [SEE_PODS] });
    await sees(picker, '127.0.0.11:8000', '127.0.0.11:8001');
    expect(await picker.health()).toBe('SERVING');
    await stage.pod('c', '127.0.0.13', { labels: { app: 'vllm', tier: 'tpu' } });
    await stage.namespace.removePod('a');
    await sees(picker, '127.0.0.13:8000', '127.0.0.13:8001');
  });
});
