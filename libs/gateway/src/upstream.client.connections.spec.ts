import { describe, expect, it } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { FakeUpstream, RawUpstream, cleanup } from '#testing';
import type { ConnectionScript, Handler } from '#testing';
import { aCall, aClient, answer, failureOf, textOf } from './upstream.fixture.ts';

const later = cleanup();

function client(...options: Parameters<typeof aClient>) {
  const made = aClient(...options);
  later(() => made.onApplicationShutdown());
  return made;
}

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  later(() => upstream.close());
  return upstream;
}

async function fake(handler: Handler): Promise<FakeUpstream> {
  const upstream = await FakeUpstream.start(handler);
  later(() => upstream.close());
  return upstream;
}

describe('UpstreamClient, connections', () => {
  it('are kept and used again', async () => {
    const upstream = await fake((_request, response) => void response.end('ok'));
    const calls = client();
    for (let call = 0; call < 3; call++) await textOf(await calls.send(aCall(upstream.url)));
    expect(upstream.connections).toBe(1);
  });

  it.each([
    { name: 'the deployment keeps none', config: { max_idle_conns_per_host: 0 }, call: {} },
    { name: 'the call keeps none', config: {}, call: { maxIdle: 0 } },
  ])('are closed where $name', async ({ config, call }) => {
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      peer.send(answer());
    });
    const calls = client(config);
    for (let count = 0; count < 2; count++) await textOf(await calls.send(aCall(upstream.url, call)));
    await upstream.peers[0]?.closed;
    expect(upstream.peers).toHaveLength(2);
  });

  it.each([
    { name: 'closes it while it is idle', head: 'HTTP/1.1 200 OK' },
    { name: 'says so', head: 'HTTP/1.1 200 OK\r\nconnection: close' },
  ])('are forgotten where the upstream $name: the next call needs no repeat', async ({ head }) => {
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      peer.send(answer('ok', head)).end();
    });
    const attempts: number[] = [];
    const calls = client({}, [{ intercept: ({ attempt }, next) => (attempts.push(attempt), next()) }]);
    await textOf(await calls.send(aCall(upstream.url)));
    await upstream.peers[0]?.closed;
    await textOf(await calls.send(aCall(upstream.url)));
    expect(attempts).toEqual([0, 0]);
  });

  it('are closed when idle for idle_conn_timeout', async () => {
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      peer.send(answer());
    });
    await textOf(await client({ idle_conn_timeout: 50 }).send(aCall(upstream.url)));
    await upstream.peers[0]?.closed;
  });

  it('live on after a short answer that nobody wanted, and are closed in one without end', async () => {
    const upstream = await raw(async (peer) => {
      await peer.until('/short');
      peer.send(answer('x'.repeat(60_000)));
      await peer.until('/long');
      peer.send('HTTP/1.1 200 OK\r\n\r\n');
      while (peer.socket.writable) {
        peer.send('x'.repeat(16_384));
        await new Promise(setImmediate);
      }
    });
    const calls = client();
    const short = await calls.send(aCall(upstream.url, { path: '/short' }));
    const shortEnd = Promise.withResolvers<Error | undefined>();
    short.body.observe({ chunk: () => undefined, end: shortEnd.resolve });
    short.body.discard();
    expect(await shortEnd.promise).toBeUndefined();
    (await calls.send(aCall(upstream.url, { path: '/long' }))).body.discard();
    await upstream.peers[0]?.closed;
    expect(upstream.peers).toHaveLength(1);
  });

  it('are closed in an unwanted answer that does not go on', async () => {
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      peer.send('HTTP/1.1 412 No\r\ntransfer-encoding: chunked\r\n\r\n');
    });
    (await client().send(aCall(upstream.url))).body.discard();
    await upstream.peers[0]?.closed;
  });

  it('are all closed when the process ends', async () => {
    const arrived = Promise.withResolvers<undefined>();
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      arrived.resolve(undefined);
    });
    const calls = client();
    const failed = failureOf(calls.send(aCall(upstream.url)));
    await arrived.promise;
    calls.onApplicationShutdown();
    expect(await failed).toMatchObject({ name: 'UpstreamConnectionError' });
    await upstream.peers[0]?.closed;
  });

  it('leave nothing behind on the signal of a request', async () => {
    const upstream = await fake((_request, response) => void response.end('ok'));
    const { signal } = new AbortController();
    const calls = client();
    for (let call = 0; call < 3; call++) await textOf(await calls.send(aCall(upstream.url, { signal })));
    await failureOf(calls.send(aCall('http://127.0.0.1:1', { signal })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
