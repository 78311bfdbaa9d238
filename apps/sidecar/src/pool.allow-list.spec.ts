import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EveryHost } from '#disaggregation';
import type { AllowList } from '#disaggregation';
import { EndpointStore, KubernetesDiscovery, podItself } from '#scheduling';
import type { Discovery, Endpoint } from '#scheduling';
import { FakeUpstream, cleanup, json } from '#testing';
import { PoolAllowList, openPoolAllowList } from './pool.allow-list.ts';
import { PREFILLED, aRunningSidecar, anEngine, portOf, urlOf } from './sidecar.fixture.ts';

const later = cleanup();
const POOL = { namespace: 'ns', name: 'pool', group: 'inference.networking.k8s.io' };
const FLAGS = ['--enable-ssrf-protection', '--inference-pool=ns/pool'];
const CHAT = '/v1/chat/completions';

function aPod(name: string, address: string): Endpoint {
  return { id: `ns/${name}`, namespace: 'ns', name, address, port: 8000, labels: {} };
}

/** Says those pods at once, or never. */
function pods(found: readonly Endpoint[] | undefined): Discovery & { isClosed: boolean } {
  return {
    isClosed: false,
    start: (endpoints) => {
      if (found === undefined) return new Promise<void>(() => undefined);
      endpoints.replace(found);
      return Promise.resolve();
    },
    close() {
      this.isClosed = true;
    },
  };
}

describe('EveryHost', () => {
  const list: AllowList = new EveryHost();

  it.each(['10.0.0.1', 'evil.example', '', 'a b'])('allows %j (A1)', (host) => {
    expect(list.allows(host)).toBe(true);
  });
});

describe('PoolAllowList', () => {
  const store = new EndpointStore();
  const list = new PoolAllowList(store);

  it.each([
    ['10.0.0.1', true],
    ['pod-a', true],
    ['POD-A', true],
    ['fd00::1', true],
    ['FD00::1', true],
    ['10.0.0.2', false],
    ['pod', false],
    ['10.0.0.1.evil.example', false],
    ['pod-a.ns.svc', false],
    ['', false],
  ])('allows %j: %s (A3, A4)', (host, expected) => {
    store.replace([aPod('pod-a', '10.0.0.1'), aPod('pod-b', 'fd00::1')]);
    expect(list.allows(host)).toBe(expected);
  });

  it('follows the pods that there are, and allows nobody when there are none', () => {
    store.replace([aPod('c', '10.0.0.3')]);
    expect([list.allows('10.0.0.1'), list.allows('10.0.0.3')]).toEqual([false, true]);
    store.replace([]);
    expect(list.allows('10.0.0.3')).toBe(false);
  });
});

describe('openPoolAllowList', () => {
  it('names flag and pool where Kubernetes does not say the pods in time, and asks no longer', async () => {
    const silent = pods(undefined);
    const opening = openPoolAllowList(POOL, () => silent, 20);
    await expect(opening).rejects.toThrow(/--inference-pool .*ns\/pool within 0\.02s.*\(--enable-ssrf-protection\)/s);
    expect(silent.isClosed).toBe(true);
  });

  it('names the flag where there is no Kubernetes to be asked', async () => {
    const start = () => Promise.reject(new Error('no Kubernetes cluster is configured'));
    const opening = openPoolAllowList(POOL, () => ({ start, close: () => undefined }));
    await expect(opening).rejects.toThrow(/--inference-pool {2}no Kubernetes cluster is configured/);
  });

  it('asks for the pool that is configured', async () => {
    let asked: unknown;
    const open = await openPoolAllowList(POOL, (target) => {
      asked = target;
      return pods([]);
    });
    expect(asked).toEqual({ kind: 'pool', ...POOL });
    await open.close();
  });
});

describe('a sidecar that calls only pods of its pool', () => {
  async function upstream(answer: string): Promise<FakeUpstream> {
    const started = await anEngine((_request, response) => json(response, answer));
    later(() => started.close());
    return started;
  }

  it('refuses a prefill target outside of it in plain text, and calls nobody (H, 3.2)', async () => {
    const engine = await upstream('{}');
    const sidecar = await aRunningSidecar(engine, {
      flags: FLAGS,
      surroundings: { askKubernetes: () => pods([aPod('a', '10.0.0.1')]) },
    });
    later(() => sidecar.shutdown.run('SIGTERM'));
    const headers = { 'x-prefiller-host-port': `127.0.0.1:${portOf(engine.url)}` };
    const answer = await fetch(urlOf(sidecar) + CHAT, { method: 'POST', body: '{}', headers });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await answer.text()).toBe('Forbidden: prefill target not allowed by SSRF protection\n');
    expect(engine.requests).toEqual([]);
  });

  it('does not start while its pods are not known', async () => {
    const engine = await upstream('{}');
    const starting = aRunningSidecar(engine, {
      flags: FLAGS,
      surroundings: { askKubernetes: () => pods(undefined), poolLimit: 20 },
    });
    await expect(starting).rejects.toThrow('--inference-pool');
  });

  it('takes them from Kubernetes, ready or not', async () => {
    const [engine, prefill] = [await upstream('{}'), await upstream(PREFILLED)];
    process.env['KUBECONFIG'] = await kubernetesWith({
      inferencepools: { metadata: { name: 'pool' }, spec: { selector: { app: 'a' }, targetPortNumber: 8000 } },
      pods: { metadata: { name: 'p', namespace: 'ns', labels: { app: 'a' } }, status: { podIP: '127.0.0.1' } },
    });
    later(() => {
      delete process.env['KUBECONFIG'];
    });
    const sidecar = await aRunningSidecar(engine, {
      flags: [...FLAGS, '--pool-group=inference.networking.x-k8s.io'],
      surroundings: { askKubernetes: (target) => new KubernetesDiscovery(target, { endpointsOf: podItself }) },
    });
    later(() => sidecar.shutdown.run('SIGTERM'));
    const ask = async (target: string): Promise<number> => {
      const headers = { 'x-prefiller-host-port': target };
      return (await fetch(urlOf(sidecar) + CHAT, { method: 'POST', body: '{}', headers })).status;
    };
    expect(await ask(`127.0.0.1:${portOf(prefill.url)}`)).toBe(200);
    expect(await ask(`localhost:${portOf(prefill.url)}`)).toBe(403);
    expect(prefill.requests).toHaveLength(1);
  });

  /** An API server with one object of each kind that never change. @returns the file that leads there */
  async function kubernetesWith(objects: Readonly<Record<string, object>>): Promise<string> {
    const api = await FakeUpstream.start(({ path }, response) => {
      const { pathname, searchParams } = new URL(path, 'http://api');
      const object = objects[pathname.split('/').at(-1) ?? ''];
      if (searchParams.has('watch')) response.writeHead(200).flushHeaders();
      else
        json(response, {
          kind: 'List',
          metadata: { resourceVersion: '1' },
          items: object === undefined ? [] : [object],
        });
    });
    const folder = mkdtempSync(join(tmpdir(), 'sidecar-kube-'));
    later(async () => {
      rmSync(folder, { recursive: true });
      await api.close();
    });
    const config = {
      'current-context': 'c',
      clusters: [{ name: 'k', cluster: { server: api.url, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    };
    writeFileSync(join(folder, 'config'), JSON.stringify(config));
    return join(folder, 'config');
  }
});
