import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { cleanup } from '#testing';
import { aPod, FakeKubeApi, status } from './fake-kube-api.fixture.ts';
import { KubeClient } from './kube.client.ts';
import { find, listOf } from './found-endpoints.fixture.ts';
import type { Found } from './found-endpoints.fixture.ts';
import type { KubernetesTarget } from './kubernetes.discovery.ts';
import type { WatchTimes } from './resource-watch.ts';

const onEnd = cleanup();

beforeAll(() => {
  Logger.overrideLogger(false);
});

const SELECTOR: KubernetesTarget = { kind: 'selector', selector: 'app=vllm', ports: [8000], namespace: 'ns' };
const bookmark = (resourceVersion: string): object => ({ kind: 'Pod', metadata: { resourceVersion } });

async function fakeApi(): Promise<FakeKubeApi> {
  const api = await FakeKubeApi.start();
  onEnd(() => api.close());
  return api;
}

/** Closed behind the test. */
async function found(api: FakeKubeApi, times: Partial<WatchTimes> = {}): Promise<Found> {
  const all = await find(api, SELECTOR, times);
  onEnd(() => all.discovery.close());
  return all;
}

describe('KubernetesDiscovery when something breaks', () => {
  it('goes on from a bookmark when the server ends the watch', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api);
    await started;
    const first = await api.pods.watch(0);
    first.send('BOOKMARK', bookmark('77'));
    first.end();
    const second = await api.pods.watch(1);
    expect(second.query.get('resourceVersion')).toBe('77');
    second.send('ADDED', aPod('a', '10.0.0.1'));
    await until('ns/a');
    expect(api.pods.lists).toHaveLength(1);
  });

  it('goes on from the last event when the connection breaks, and keeps what it has', async () => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until, history } = await found(api);
    await started;
    const first = await api.pods.watch(0);
    first.send('ADDED', aPod('b', '10.0.0.2', { metadata: { resourceVersion: '5' } }));
    await until('ns/a', 'ns/b');
    first.drop();
    const second = await api.pods.watch(1);
    expect(second.query.get('resourceVersion')).toBe('5');
    second.send('ADDED', aPod('c', '10.0.0.3'));
    await until('ns/a', 'ns/b', 'ns/c');
    expect(history).toEqual(['ns/a', 'ns/a ns/b', 'ns/a ns/b ns/c']);
  });

  it.each([
    { what: '410 in the stream', script: 'event' },
    { what: 'another error in the stream', script: 'error' },
    { what: '410 as status', script: 'status' },
  ])('lists anew on $what, with nothing lost in between', async ({ script }) => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1'), aPod('b', '10.0.0.2')];
    const { started, until, history } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    api.pods.objects = [aPod('a', '10.0.0.1'), aPod('c', '10.0.0.3')];
    api.pods.version = '900';
    if (script === 'status') {
      api.pods.nextWatches.push(status(410));
      watch.drop();
    } else {
      watch.send('ERROR', { kind: 'Status', code: script === 'event' ? 410 : 500 });
    }
    await until('ns/a', 'ns/c');
    const next = await api.pods.watch(1);
    expect(next.query.get('resourceVersion')).toBe('900');
    expect(history).toEqual(['ns/a ns/b', 'ns/a ns/c']);
  });

  it.each([401, 403, 429, 500, 503])('keeps what it has while lists fail with %i', async (code) => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, until, history } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    api.pods.nextLists.push(...[1, 2, 3].map(() => status(code)));
    watch.send('ERROR', { kind: 'Status', code: 410 });
    await api.pods.listed(5);
    (await api.pods.watch(1)).send('ADDED', aPod('b', '10.0.0.2'));
    await until('ns/a', 'ns/b');
    expect(history).toEqual(['ns/a', 'ns/a ns/b']);
  });

  it('keeps what it has when the second piece of a list fails', async () => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const { started, history } = await found(api);
    await started;
    const watch = await api.pods.watch(0);
    const piece = { metadata: { resourceVersion: '2', continue: '50' }, items: [] };
    api.pods.nextLists.push((_query, response) => void response.end(JSON.stringify(piece)), status(410));
    watch.send('ERROR', { kind: 'Status', code: 410 });
    await api.pods.watch(1);
    expect(history).toEqual(['ns/a']);
  });

  it.each([
    { what: 'no JSON', text: '{"type":' },
    { what: 'no event', text: '{"a":1}' },
    { what: 'an object without a version', text: '{"type":"ADDED","object":{"metadata":{"name":"x"}}}' },
  ])('watches again behind a line that is $what', async ({ text }) => {
    const api = await fakeApi();
    const { started, until } = await found(api);
    await started;
    (await api.pods.watch(0)).write(`${text}\n`);
    (await api.pods.watch(1)).send('ADDED', aPod('a', '10.0.0.1'));
    await until('ns/a');
  });

  it('is patient with a server that fails at first, and not synced until then', async () => {
    const api = await fakeApi();
    api.pods.objects = [aPod('a', '10.0.0.1')];
    const breaks = (_query: unknown, response: { destroy(): void }): void => response.destroy();
    const nonsense = (_query: unknown, response: { end(text: string): void }): void => response.end('{}');
    api.pods.nextLists.push(status(503), breaks, nonsense);
    const { endpoints, started } = await found(api);
    await api.pods.listed(3);
    expect(endpoints.isSynced).toBe(false);
    await started;
    expect(listOf(endpoints)).toBe('ns/a');
  });

  it('takes a watch that is silent for a broken one', async () => {
    const api = await fakeApi();
    const { started } = await found(api, { idle: 40 });
    await started;
    await (
      await api.pods.watch(0)
    ).closed;
    await api.pods.watch(1);
  });

  it('lists every now and then, for what a watch may have missed', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api, { resync: 30 });
    await started;
    await api.pods.watch(0);
    api.pods.objects = [aPod('a', '10.0.0.1')];
    await until('ns/a');
  });

  it('takes the end of a quiet watch for no failure: it asks again as soon as it did before', async () => {
    const api = await fakeApi();
    const { started, until } = await found(api, { worked: 0, firstPause: 1, longestPause: 60_000 });
    await started;
    // pauses that doubled would add up to half a minute
    for (let number = 0; number < 15; number++) (await api.pods.watch(number)).end();
    (await api.pods.watch(15)).send('ADDED', aPod('a', '10.0.0.1'));
    await until('ns/a');
  });

  it('says what the server says of a refusal', async () => {
    const api = await fakeApi();
    const said: string[] = [];
    const client = new KubeClient(await api.config());
    api.pods.nextLists.push(status(403, 'pods is forbidden: cannot list resource "pods"'));
    await client
      .list({ path: '/api/v1/namespaces/ns/pods' }, undefined, new AbortController().signal)
      .catch((error: unknown) => said.push(String(error)));
    expect(said).toEqual([
      'KubeStatusError: Kubernetes answered 403 for /api/v1/namespaces/ns/pods: pods is forbidden: cannot list resource "pods"',
    ]);
  });
});
