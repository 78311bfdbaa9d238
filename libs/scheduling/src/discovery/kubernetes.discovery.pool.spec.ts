import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { aPod, aPool, FakeKubeApi, status } from './fake-kube-api.fixture.ts';
import { find, listOf } from './found-endpoints.fixture.ts';
import type { Found } from './found-endpoints.fixture.ts';
import type { KubernetesTarget } from './kubernetes.discovery.ts';

const onEnd = cleanup();

beforeAll(() => {
  Logger.overrideLogger(false);
});

const POOL: KubernetesTarget = { kind: 'pool', name: 'pool', namespace: 'ns', group: 'inference.networking.k8s.io' };

async function fakeApi(): Promise<FakeKubeApi> {
  const api = await FakeKubeApi.start();
  onEnd(() => api.close());
  return api;
}

/** Closed behind the test. */
async function found(api: FakeKubeApi): Promise<Found> {
  const all = await find(api, POOL);
  onEnd(() => all.discovery.close());
  return all;
}

describe('KubernetesDiscovery by pool', () => {
  it('takes selector and ports of the pool', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000, 8001])];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { endpoints, started } = await found(api);
    await started;
    expect(listOf(endpoints)).toBe('ns/a-rank-0 ns/a-rank-1');
    expect(api.pools.lists[0]?.get('fieldSelector')).toBe('metadata.name=pool');
    expect(api.pods.lists[0]?.get('labelSelector')).toBe('app=vllm');
  });

  it('waits for a pool that is not there yet', async () => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { endpoints, started } = await found(api);
    const watch = await api.pools.watch(0);
    expect(endpoints.isSynced).toBe(false);
    watch.send('ADDED', aPool('vllm', [8000]));
    await started;
    expect(listOf(endpoints)).toBe('ns/a');
  });

  it.each([
    { what: 'deleted', type: 'DELETED', metadata: {} },
    { what: 'about to be deleted', type: 'MODIFIED', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } },
  ])('has no endpoints when the pool is $what, and has them again when it is back', async ({ type, metadata }) => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000])];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until } = await found(api);
    await started;
    const pods = await api.pods.watch(0);
    const watch = await api.pools.watch(0);
    watch.send(type, aPool('vllm', [8000], metadata));
    await until();
    await pods.closed;
    watch.send('ADDED', aPool('vllm', [8000]));
    await until('ns/a');
  });

  it('takes other ports at once', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000])];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until } = await found(api);
    await started;
    (await api.pools.watch(0)).send('MODIFIED', aPool('vllm', [8000, 8001]));
    await until('ns/a-rank-0', 'ns/a-rank-1');
    expect(api.pods.lists).toHaveLength(1);
  });

  it('keeps the pods of the old selector until those of the new one are listed', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000])];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until, history } = await found(api);
    await started;
    const old = await api.pods.watch(0);
    api.pods.objects = [aPod('b', '10.0.0.2', { metadata: { labels: { app: 'next' } } })];
    api.pods.nextLists.push(status(500), status(500));
    const watch = await api.pools.watch(0);
    watch.send('MODIFIED', aPool('next', [8000]));
    watch.send('MODIFIED', aPool('next', [8000]));
    await until('ns/b');
    await old.closed;
    expect(history).toEqual(['ns/a', 'ns/b']);
    expect(api.pods.lists.at(-1)?.get('labelSelector')).toBe('app=next');
  });

  it('keeps what it has while the pool makes no sense', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000])];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until, history } = await found(api);
    await started;
    const watch = await api.pools.watch(0);
    watch.send('MODIFIED', { ...aPool('vllm', []), spec: {} });
    watch.send('MODIFIED', aPool('vllm', [9000, 9001]));
    await until('ns/a-rank-0', 'ns/a-rank-1');
    expect(history).toEqual(['ns/a', 'ns/a-rank-0 ns/a-rank-1']);
  });
});
