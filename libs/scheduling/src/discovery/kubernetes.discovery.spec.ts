import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { aPod, FakeKubeApi } from './fake-kube-api.fixture.ts';
import { find, listOf } from './found-endpoints.fixture.ts';
import type { Found } from './found-endpoints.fixture.ts';
import { KubernetesDiscovery } from './kubernetes.discovery.ts';
import type { KubernetesTarget } from './kubernetes.discovery.ts';

const onEnd = cleanup();

beforeAll(() => {
  Logger.overrideLogger(false);
});

const SELECTOR: KubernetesTarget = { kind: 'selector', selector: 'app=vllm', ports: [8000], namespace: 'ns' };

async function fakeApi(): Promise<FakeKubeApi> {
  const api = await FakeKubeApi.start();
  onEnd(() => api.close());
  return api;
}

/** Closed behind the test. */
async function found(api: FakeKubeApi): Promise<Found> {
  const all = await find(api, SELECTOR);
  onEnd(() => all.discovery.close());
  return all;
}

describe('KubernetesDiscovery by label selector', () => {
  it('lists the pods that are meant, then watches from there', async () => {
    const api = await fakeApi();
    api.pods.version = '42';
    api.pods.objects = [aPod('a', '10.0.0.1'), aPod('b', '10.0.0.2', { ready: 'False' })];
    const { endpoints, started } = await found(api);
    await started;
    expect(listOf(endpoints)).toBe('ns/a');
    const { query } = await api.pods.watch(0);
    expect(Object.fromEntries(query)).toMatchObject({
      watch: 'true',
      resourceVersion: '42',
      labelSelector: 'app=vllm',
      allowWatchBookmarks: 'true',
    });
    expect(api.headers[0]?.authorization).toBe('Bearer secret');
  });

  it('lists in pieces, and says nothing before it has all', async () => {
    const api = await fakeApi();
    api.pods.objects = Array.from({ length: 120 }, (_, index) => aPod(`pod-${index}`, '10.0.0.1'));
    const { endpoints, started } = await found(api);
    await started;
    expect(endpoints.size).toBe(120);
    expect(api.pods.lists.map((query) => query.get('continue'))).toEqual([null, '50', '100']);
  });

  it('follows pods that come, change and go', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    watch.send('ADDED', aPod('a', '10.0.0.1', { ready: 'False' }));
    watch.send('ADDED', aPod('b', '10.0.0.2'));
    await until('ns/b');
    watch.send('MODIFIED', aPod('a', '10.0.0.1'));
    await until('ns/a', 'ns/b');
    watch.send('MODIFIED', aPod('b', '10.0.0.2', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }));
    await until('ns/a');
    watch.send('DELETED', aPod('a', '10.0.0.1'));
    await until();
  });

  it('follows a pod that flaps', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    for (const ready of ['True', 'False', 'True', 'False', 'True']) {
      watch.send('MODIFIED', aPod('a', '10.0.0.1', { ready }));
      await until(...(ready === 'True' ? ['ns/a'] : []));
    }
  });

  it('takes events that come in pieces, and several in one', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    const lines = ['ä', 'b', 'c'].map(
      (name) => `${JSON.stringify({ type: 'ADDED', object: aPod(name, '10.0.0.1') })}\n`,
    );
    watch.write(lines.join('').slice(0, 20));
    watch.write(lines.join('').slice(20));
    await until('ns/ä', 'ns/b', 'ns/c');
  });

  it('leaves out what the server should not have sent', async () => {
    const api = await fakeApi();
    api.pods.objects = [
      aPod('a', '10.0.0.1', { metadata: { labels: { app: 'other' } } }),
      { metadata: { name: 'b' }, status: 1 },
    ];
    const { endpoints, started } = await found(api);
    await started;
    expect(endpoints.size).toBe(0);
  });

  it('lets go of everything when it is closed', async () => {
    const api = await fakeApi();
    const { started, discovery } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    await discovery.close();
    await watch.closed;
  });

  it('can be closed while the server does not answer', async () => {
    const api = await fakeApi();
    api.pods.nextLists.push(() => undefined);
    const { endpoints, started, discovery } = await found(api);
    await api.pods.listed(1);
    await discovery.close();
    await started;
    expect(endpoints.isSynced).toBe(false);
  });

  it.each([
    { selector: 'a in b', ports: [8000] },
    { selector: 'a=b', ports: [] },
  ])('refuses $selector with the ports $ports', ({ selector, ports }) => {
    expect(() => new KubernetesDiscovery({ kind: 'selector', selector, ports, namespace: 'ns' })).toThrow();
  });
});
