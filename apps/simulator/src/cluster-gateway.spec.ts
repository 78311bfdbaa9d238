import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSimulatedCluster, startSimulation } from './cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import { HandDriver } from './testing/hand-driver.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

describe('the development gateway', () => {
  let cluster: SimulatedCluster;
  let upstream: Server;
  let handle: Handler;

  beforeEach(async () => {
    cluster = await startSimulatedCluster();
    upstream = createServer((incoming, response) => {
      handle(incoming, response);
    }).listen(0, '127.0.0.1');
    await once(upstream, 'listening');
    // A server on a port has an address object.
    cluster.coordinatorUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    await cluster.close();
    upstream.closeAllConnections();
    upstream.close();
  });

  it('sends a call to a worker by its profile, and says which', async () => {
    const hand = new HandDriver(cluster);
    for (const profile of ['prefill', 'decode'] as const) {
      const reply = await hand.call(profile, 'completions', { prompt: 'a' });
      const worker = cluster.workers.find(({ role }) => role === profile);
      expect(reply.headers.get('x-gateway-destination-endpoint-served')).toBe(`127.0.0.1:${worker?.port}`);
    }
  });

  it('sends a GET to a worker too', async () => {
    const reply = await fetch(`${cluster.gateway.url}/v1/models`, { headers: { 'EPP-Profile': 'decode' } });
    expect(await reply.json()).toMatchObject({ data: [{ id: 'sim-model' }] });
    expect(cluster.requests.phase('other')).toMatchObject([{ server: 'decode-1', path: '/v1/models' }]);
  });

  it('sends a call without a profile to the coordinator, byte for byte both ways', async () => {
    const sent = Buffer.from('{ "a" : 1.0,\n"b":"\\ud83d" }');
    const seen: { url?: string | undefined; method?: string | undefined; rawHeaders: string[]; body: Buffer }[] = [];
    handle = (incoming, response) => {
      void incoming.toArray().then((chunks: Buffer[]) => {
        const { url, method, rawHeaders } = incoming;
        seen.push({ url, method, rawHeaders, body: Buffer.concat(chunks) });
        response.writeHead(201, [
          'X-Mixed-Case',
          'Yes',
          'Set-Cookie',
          'a=1',
          'Set-Cookie',
          'b=2',
          'x-request-id',
          'own-1',
        ]);
        response.end(Buffer.from([0, 255, 1]));
      });
    };
    const reply = await request(`${cluster.gateway.url}/v1/x%2Fy?q=a%20b&q=c`, {
      method: 'PATCH',
      headers: { 'X-Own': 'v', authorization: 'Bearer t' },
      body: sent,
    });
    expect(reply.statusCode).toBe(201);
    expect(reply.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(Buffer.from(await reply.body.arrayBuffer())).toEqual(Buffer.from([0, 255, 1]));
    expect(seen).toMatchObject([{ url: '/v1/x%2Fy?q=a%20b&q=c', method: 'PATCH', body: sent }]);
    expect(seen[0]?.rawHeaders).toEqual(
      expect.arrayContaining(['X-Own', 'v', 'authorization', 'Bearer t', 'x-request-id']),
    );
    expect(await cluster.requests.waitFor(({ phase }) => phase === 'client')).toMatchObject({
      status: 201,
      requestId: 'own-1',
    });
  });

  it('passes each write on before the next one comes', async () => {
    const step = Promise.withResolvers<undefined>();
    handle = (incoming, response) => {
      incoming.resume();
      response.write('one');
      void step.promise.then(() => response.end('two'));
    };
    const reply = await request(cluster.gateway.url, { method: 'POST', body: '{}' });
    const chunks = reply.body[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe('one');
    step.resolve(undefined);
    expect(String((await chunks.next()).value)).toBe('two');
  });

  it('reads no more than a caller that does not read takes', async () => {
    let written = 0;
    const block = Buffer.alloc(256 * 1024);
    handle = (_incoming, response) => {
      const more = (): void => {
        while (written < 1024 && response.write(block)) written += 1;
        written += 1;
        if (written < 1024) response.once('drain', more);
      };
      more();
    };
    const reply = await request(cluster.gateway.url);
    let before = -1;
    while (written !== before) {
      before = written;
      await sleep(50);
    }
    expect(written).toBeLessThan(200);
    reply.body.on('error', () => undefined).destroy();
    await cluster.requests.waitFor(({ phase }) => phase === 'client');
  });

  it('leaves the upstream when the caller leaves', async () => {
    const left = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    handle = (_incoming, response) => {
      response.once('close', () => {
        left.resolve(undefined);
      });
      begun.resolve(undefined);
    };
    const caller = new AbortController();
    const call = fetch(cluster.gateway.url, { signal: caller.signal });
    await begun.promise;
    caller.abort();
    await expect(call).rejects.toThrow('abort');
    await left.promise;
    expect(await cluster.requests.waitFor(({ phase }) => phase === 'client')).toMatchObject({
      outcome: 'client-closed',
    });
  });

  it.each(['resetAndDestroy', 'destroySoon'] as const)(
    'breaks the connection by the %s that the upstream broke its own with, after what it wrote',
    async (end) => {
      handle = (incoming) => {
        incoming.socket[end]();
      };
      await expect(request(cluster.gateway.url)).rejects.toThrow();
      handle = (incoming, response) => {
        response.write('half', () => {
          incoming.socket[end]();
        });
      };
      const reply = await request(cluster.gateway.url);
      let text = '';
      const reading = (async () => {
        for await (const chunk of reply.body) text += String(chunk);
      })();
      await expect(reading).rejects.toMatchObject({ code: end === 'destroySoon' ? 'UND_ERR_SOCKET' : 'ECONNRESET' });
      expect(text).toBe('half');
      expect(cluster.requests.phase('client')).toMatchObject([
        { outcome: 'failed', status: undefined },
        { outcome: 'failed', status: 200 },
      ]);
    },
  );

  it('answers 503 when nobody listens, and no-endpoints when there is no worker of the role', async () => {
    cluster.coordinatorUrl = 'http://127.0.0.1:1';
    expect((await fetch(cluster.gateway.url)).status).toBe(503);
    const lonely = await startSimulation({ gateway: {} });
    try {
      for (const headers of [{ 'EPP-Profile': 'decode' }, { 'EPP-Profile': 'other' }]) {
        const reply = await fetch(lonely.gateway?.url ?? '', { headers });
        expect(reply.status).toBe(503);
        expect(reply.headers.get('x-llm-d-request-dropped-reason')).toBe('no-endpoints');
      }
      expect((await fetch(lonely.gateway?.url ?? '')).status).toBe(503);
    } finally {
      await lonely.close();
    }
  });

  it('refuses a port that is taken', async () => {
    const taken = { render: { port: 0 }, gateway: { port: cluster.gateway.port } };
    await expect(startSimulation(taken)).rejects.toThrow('EADDRINUSE');
  });

  it('lets several workers of a role take turns, and a request keep its decode worker', async () => {
    const roles = ['encode', 'prefill', 'prefill', 'decode', 'decode'] as const;
    const wide = await startSimulatedCluster({ workers: roles.map((role) => ({ role })) });
    try {
      const hand = new HandDriver(wide);
      for (let i = 0; i < 4; i++) await hand.call('prefill', 'completions', { prompt: 'a' });
      await hand.probe('completions', { prompt: 'a' });
      await hand.call('decode', 'completions', { prompt: 'a' });
      const servers = (phase: 'prefill' | 'decode' | 'probe'): string[] =>
        wide.requests.phase(phase).map(({ server }) => server);
      expect(servers('prefill')).toEqual(['prefill-1', 'prefill-2', 'prefill-1', 'prefill-2']);
      expect(servers('probe')).toEqual(servers('decode'));
    } finally {
      await wide.close();
    }
  });
});
