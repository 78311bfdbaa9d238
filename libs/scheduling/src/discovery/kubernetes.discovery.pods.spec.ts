import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { aPod, aPool, FakeKubeApi } from './fake-kube-api.fixture.ts';
import { find, listOf } from './found-endpoints.fixture.ts';
import type { Found } from './found-endpoints.fixture.ts';
import { podItself } from './pod-endpoints.ts';

const onEnd = cleanup();

beforeAll(() => {
  Logger.overrideLogger(false);
});

async function fakeApi(): Promise<FakeKubeApi> {
  const api = await FakeKubeApi.start();
  onEnd(() => api.close());
  return api;
}

/** Closed behind the test. */
async function podsOf(api: FakeKubeApi, group = 'inference.networking.k8s.io'): Promise<Found> {
  const pool = { kind: 'pool', name: 'pool', namespace: 'ns', group } as const;
  const all = await find(api, pool, {}, { endpointsOf: podItself });
  onEnd(() => all.discovery.close());
  return all;
}

describe('KubernetesDiscovery that is asked for pods, not for endpoints', () => {
  it('says each pod of the pool once, whether or not it is ready', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000, 8001])];
    api.pods.objects = [aPod('a', '10.0.0.1', { ready: 'False' }), aPod('b', '10.0.0.2')];
    const { endpoints, started } = await podsOf(api);
    await started;
    expect(listOf(endpoints)).toBe('ns/a ns/b');
  });

  it('swaps them all at once when the pool selects others, and has none when the pool is gone', async () => {
    const api = await fakeApi();
    api.pools.objects = [aPool('vllm', [8000])];
    api.pods.objects = [aPod('a', '10.0.0.1'), aPod('b', '10.0.0.2')];
    const { started, until, history } = await podsOf(api);
    await started;
    const next = { metadata: { labels: { app: 'next' } } };
    api.pods.objects = [aPod('c', '10.0.0.3', next), aPod('d', '10.0.0.4', next)];
    const watch = await api.pools.watch(0);
    watch.send('MODIFIED', aPool('next', [8000]));
    await until('ns/c', 'ns/d');
    watch.send('DELETED', aPool('next', [8000]));
    await until();
    expect(history).toEqual(['ns/a ns/b', 'ns/c ns/d', '']);
  });

  it('knows the pools of the group before', async () => {
    const api = await fakeApi();
    const { metadata } = aPool('vllm', []);
    api.pools.objects = [{ metadata, spec: { selector: { app: 'vllm' }, targetPortNumber: 8000 } }];
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { endpoints, started } = await podsOf(api, 'inference.networking.x-k8s.io');
    await started;
    expect(listOf(endpoints)).toBe('ns/a');
    expect(api.paths[0]).toBe('/apis/inference.networking.x-k8s.io/v1alpha2/namespaces/ns/inferencepools');
  });
});
