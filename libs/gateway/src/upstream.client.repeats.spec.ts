import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RawUpstream, cleanup } from '#testing';
import type { ConnectionScript } from '#testing';
import type { GatewayConfig } from './gateway.config.ts';
import type { UpstreamCall } from './upstream-call.ts';
import { aCall, aClient, answer, failureOf, textOf } from './upstream.fixture.ts';

const REQUEST = '{"a":1}';
const later = cleanup();

/** A client that notes the number of each try. */
function client(config: Partial<GatewayConfig> = {}) {
  const tries: number[] = [];
  const upstream = aClient(config, [{ intercept: ({ attempt }, next) => (tries.push(attempt), next()) }]);
  later(() => upstream.onApplicationShutdown());
  return { tries, send: (call: UpstreamCall) => upstream.send(call) };
}

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  later(() => upstream.close());
  return upstream;
}

/** An upstream whose first connection answers once and then does what the test says; later ones answer. */
function breakingOnReuse(second: ConnectionScript): Promise<RawUpstream> {
  return raw(async (peer, nth) => {
    await peer.until(REQUEST);
    peer.send(answer(`first of ${nth}`));
    await peer.until(REQUEST, 2);
    await second(peer, nth);
  });
}

/** A port of loopback that nobody listens on. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // what a server on TCP has
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('UpstreamClient, repeats', () => {
  it.each([
    { retries: 0, expected: [0] },
    { retries: 1, expected: [0, 1] },
    { retries: 3, expected: [0, 1, 2, 3] },
  ])('tries a refused connection again at most $retries times', async ({ retries, expected }) => {
    const calls = client({ retries });
    const failure = await failureOf(calls.send(aCall(`http://127.0.0.1:${await freePort()}`)));
    expect(failure).toMatchObject({ name: 'UpstreamConnectionError', reason: 'refused', status: 502, step: 'prefill' });
    expect(calls.tries).toEqual(expected);
  });

  it('is served by the second try where the first was refused', async () => {
    const port = await freePort();
    const server = createServer((_request, response) => void response.end('up again'));
    later(() => new Promise((resolve) => server.close(resolve)));
    const upstream = aClient({}, [
      {
        async intercept({ attempt }, next) {
          if (attempt === 1) await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
          return next();
        },
      },
    ]);
    later(() => upstream.onApplicationShutdown());
    expect(await textOf(await upstream.send(aCall(`http://127.0.0.1:${port}`)))).toBe('up again');
  });

  it('does not try a name again that does not resolve', async () => {
    const calls = client();
    const failure = await failureOf(calls.send(aCall('http://nobody.invalid')));
    expect(failure).toMatchObject({ name: 'UpstreamConnectionError', reason: 'refused', isRepeatable: false });
    expect(calls.tries).toEqual([0]);
  });

  it.each<[string, ConnectionScript]>([
    ['resets it', (peer) => peer.reset()],
    ['closes it', (peer) => peer.end()],
  ])('is served on a new connection where the upstream %s on reuse, before any byte', async (_how, breakIt) => {
    const upstream = await breakingOnReuse(breakIt);
    const calls = client();
    expect(await textOf(await calls.send(aCall(upstream.url)))).toBe('first of 0');
    expect(await textOf(await calls.send(aCall(upstream.url)))).toBe('first of 1');
    expect(calls.tries).toEqual([0, 0, 1]);
  });

  it('does not try another idle connection, which may be as dead', async () => {
    const upstream = await breakingOnReuse((peer) => peer.reset());
    const calls = client();
    const first = await Promise.all([0, 1].map(() => calls.send(aCall(upstream.url))));
    await Promise.all(first.map(textOf));
    expect(upstream.peers).toHaveLength(2);
    expect(await textOf(await calls.send(aCall(upstream.url)))).toBe('first of 2');
  });

  it('sends the same bytes again', async () => {
    const upstream = await breakingOnReuse((peer) => peer.reset());
    const calls = client();
    const body = [Buffer.from('{"p":"'), Buffer.alloc(100_000, 'x'), Buffer.from(`","q":${REQUEST}}`)];
    for (let call = 0; call < 2; call++) await textOf(await calls.send(aCall(upstream.url, { body })));
    const [first, second] = upstream.peers.map(({ text }) => text);
    expect(first).toBe(`${second}${second}`);
  });

  it('repeats nothing where gateway.retries is 0', async () => {
    const upstream = await breakingOnReuse((peer) => peer.reset());
    const calls = client({ retries: 0 });
    await textOf(await calls.send(aCall(upstream.url)));
    expect(await failureOf(calls.send(aCall(upstream.url)))).toMatchObject({ reason: 'reset', isRepeatable: true });
    expect(calls.tries).toEqual([0, 0]);
  });

  it.each<[string, ConnectionScript]>([
    ['a reset', (peer) => peer.reset()],
    ['a close', (peer) => peer.end()],
  ])('does not repeat after %s of a new connection', async (_how, breakIt) => {
    const upstream = await raw(async (peer, nth) => {
      await peer.until(REQUEST);
      await breakIt(peer, nth);
    });
    const calls = client({ retries: 3 });
    const failure = await failureOf(calls.send(aCall(upstream.url)));
    expect(failure).toMatchObject({ name: 'UpstreamConnectionError', reason: 'reset', isRepeatable: false });
    expect(upstream.peers).toHaveLength(1);
  });

  it('does not repeat a repeated call whose new connection breaks', async () => {
    const upstream = await raw(async (peer, nth) => {
      await peer.until(REQUEST);
      if (nth > 0) return peer.reset();
      peer.send(answer());
      await peer.until(REQUEST, 2);
      peer.reset();
    });
    const calls = client({ retries: 3 });
    await textOf(await calls.send(aCall(upstream.url)));
    await failureOf(calls.send(aCall(upstream.url)));
    expect(calls.tries).toEqual([0, 0, 1]);
  });

  it.each([
    ['the first bytes of a head', 'HT'],
    ['an interim head', 'HTTP/1.1 103 Early\r\n\r\n'],
  ])('does not repeat after %s', async (_what, bytes) => {
    const upstream = await breakingOnReuse(async (peer) => {
      await new Promise<void>((resolve) => peer.socket.write(bytes, () => resolve()));
      peer.end();
    });
    const calls = client();
    await textOf(await calls.send(aCall(upstream.url)));
    expect(await failureOf(calls.send(aCall(upstream.url)))).toMatchObject({ reason: 'reset', isRepeatable: false });
    expect(upstream.peers).toHaveLength(1);
  });

  it('does not repeat after a head', async () => {
    const upstream = await breakingOnReuse((peer) => {
      peer.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n').end();
    });
    const calls = client();
    await textOf(await calls.send(aCall(upstream.url)));
    const reply = await calls.send(aCall(upstream.url));
    expect(await failureOf(textOf(reply))).toMatchObject({ reason: 'reset', isRepeatable: false });
    expect(calls.tries).toEqual([0, 0]);
  });

  it('does not repeat a call whose body arrives while it is sent', async () => {
    const upstream = await breakingOnReuse((peer) => peer.reset());
    const calls = client();
    await textOf(await calls.send(aCall(upstream.url)));
    async function* body(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from(REQUEST));
    }
    const failure = await failureOf(calls.send(aCall(upstream.url, { body: body() })));
    expect(failure).toMatchObject({ reason: 'reset', isRepeatable: false });
    expect(upstream.peers).toHaveLength(1);
  });

  it('repeats a call without a body', async () => {
    const upstream = await raw(async (peer, nth) => {
      await peer.until('\r\n\r\n');
      peer.send(answer(String(nth)));
      await peer.until('\r\n\r\n', 2);
      peer.reset();
    });
    const calls = client();
    const call = aCall(upstream.url, { method: 'GET', body: undefined });
    expect(await textOf(await calls.send(call))).toBe('0');
    expect(await textOf(await calls.send(call))).toBe('1');
  });

  it('has one time limit for all tries together', async () => {
    const upstream = await raw(async (peer, nth) => {
      await peer.until(REQUEST);
      if (nth > 0) return;
      peer.send(answer());
      await peer.until(REQUEST, 2);
      await delay(500);
      peer.reset();
    });
    const calls = client();
    await textOf(await calls.send(aCall(upstream.url)));
    const begun = performance.now();
    const headLimit = { ms: 700, setting: 'gateway.timeout' };
    const failure = await failureOf(calls.send(aCall(upstream.url, { headLimit })));
    expect(failure).toMatchObject({ name: 'UpstreamTimeoutError' });
    expect(calls.tries).toEqual([0, 0, 1]);
    expect(performance.now() - begun).toBeLessThan(1_150);
  });

  it('repeats nothing for a request that was given up meanwhile', async () => {
    const aborter = new AbortController();
    const left = new Error('the client left');
    const upstream = aClient({}, [
      {
        intercept: (_attempt, next) =>
          next().catch((error: unknown) => {
            aborter.abort(left);
            throw error;
          }),
      },
    ]);
    later(() => upstream.onApplicationShutdown());
    const call = aCall(`http://127.0.0.1:${await freePort()}`, { signal: aborter.signal });
    expect(await failureOf(upstream.send(call))).toBe(left);
  });

  it('says that an upstream refuses, also on a connection that it had just closed', async () => {
    const upstream = await raw(async (peer) => {
      await peer.until(REQUEST);
      const stopped = upstream.stopAccepting();
      peer.send(answer('ok', 'HTTP/1.1 200 OK\r\nconnection: close'));
      await stopped;
    });
    const calls = client({ retries: 0 });
    await textOf(await calls.send(aCall(upstream.url)));
    expect(await failureOf(calls.send(aCall(upstream.url)))).toMatchObject({ reason: 'refused' });
  });
});
