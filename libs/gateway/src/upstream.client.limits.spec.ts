import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { RawUpstream, cleanup } from '#testing';
import type { ConnectionScript, TcpPeer } from '#testing';
import type { UpstreamCallInterceptor } from './upstream-call.interceptor.ts';
import { aCall, aClient, answer, failureOf, textOf } from './upstream.fixture.ts';

const later = cleanup();

function client(interceptors: readonly UpstreamCallInterceptor[] = []) {
  const upstream = aClient({}, interceptors);
  later(() => upstream.onApplicationShutdown());
  return upstream;
}

/** An upstream that goes on with the script once a request is whole. */
async function served(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(async (peer, nth) => {
    await peer.until('{"a":1}');
    await script(peer, nth);
  });
  later(() => upstream.close());
  return upstream;
}

const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';

/** One chunk of three bytes, after so many milliseconds. */
async function chunkAfter(peer: TcpPeer, ms: number): Promise<void> {
  await delay(ms);
  peer.send('3\r\nabc\r\n');
}

const HEAD_LIMIT = { ms: 150, setting: 'gateway.decode_timeout' };
const IDLE_LIMIT = { ms: 200, setting: 'gateway.stream_idle_timeout' };

describe('UpstreamClient, time limits', () => {
  it('gives an upstream up that sends no head in time, names the setting and closes the connection', async () => {
    const upstream = await served(() => undefined);
    const failure = await failureOf(client().send(aCall(upstream.url, { step: 'decode', headLimit: HEAD_LIMIT })));
    expect(failure).toMatchObject({
      name: 'UpstreamTimeoutError',
      status: 504,
      message: 'decode did not answer in time (gateway.decode_timeout)',
    });
    await upstream.peers[0]?.closed;
  });

  it('does not take an interim head, or part of one, for a head', async () => {
    const upstream = await served((peer) => void peer.send('HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\n'));
    const failure = await failureOf(client().send(aCall(upstream.url, { headLimit: HEAD_LIMIT })));
    expect(failure).toMatchObject({ name: 'UpstreamTimeoutError' });
  });

  it('has no limit on the body in the limit of the head', async () => {
    const upstream = await served(async (peer) => {
      peer.send(HEAD);
      await chunkAfter(peer, 2 * HEAD_LIMIT.ms);
      peer.send(LAST_CHUNK);
    });
    expect(await textOf(await client().send(aCall(upstream.url, { headLimit: HEAD_LIMIT })))).toBe('abc');
  });

  it('gives an upstream up that falls silent in its answer, names the setting and closes the connection', async () => {
    const upstream = await served((peer) => chunkAfter(peer.send(HEAD), 0));
    const reply = await client().send(aCall(upstream.url, { idleLimit: IDLE_LIMIT }));
    expect(await failureOf(textOf(reply))).toMatchObject({
      name: 'UpstreamTimeoutError',
      message: 'prefill did not answer in time (gateway.stream_idle_timeout)',
    });
    await upstream.peers[0]?.closed;
  });

  it('counts the silence from the last part that came', async () => {
    const upstream = await served(async (peer) => {
      peer.send(HEAD);
      for (let part = 0; part < 6; part++) await chunkAfter(peer, 100);
      peer.send(LAST_CHUNK);
    });
    const reply = await client().send(aCall(upstream.url, { idleLimit: { ...IDLE_LIMIT, ms: 500 } }));
    expect(await textOf(reply)).toBe('abc'.repeat(6));
  });

  it('holds one limit from the request to the last byte where the answer counts as a whole', async () => {
    const upstream = await served(async (peer) => {
      peer.send(HEAD);
      while (peer.socket.writable) await chunkAfter(peer, 40);
    });
    const headLimit = { ms: 300, setting: 'render.timeout' };
    const reply = await client().send(aCall(upstream.url, { headLimit, idleLimit: 'whole' }));
    expect(await failureOf(textOf(reply))).toMatchObject({
      message: 'prefill did not answer in time (render.timeout)',
    });
    await upstream.peers[0]?.closed;
  });

  it('does not hold the silence of a reader that wants no more against the upstream, but does so again afterwards', async () => {
    const upstream = await served(async (peer) => {
      await chunkAfter(peer.send(HEAD), 0);
      await peer.until('go on');
      await chunkAfter(peer, 0);
    });
    const reply = await client().send(aCall(upstream.url, { idleLimit: IDLE_LIMIT }));
    const got: string[] = [];
    const piped = failureOf(
      reply.body.pipe({
        write(chunk, resume) {
          got.push(chunk.toString());
          if (got.length > 1) return true;
          void delay(3 * IDLE_LIMIT.ms).then(resume);
          return false;
        },
      }),
    );
    await delay(2 * IDLE_LIMIT.ms);
    expect(got).toEqual(['abc']);
    expect(await piped).toMatchObject({ name: 'UpstreamTimeoutError' });
  });

  it('does not hold it against the upstream either that nobody reads yet', async () => {
    const upstream = await served(async (peer) => {
      await chunkAfter(peer.send(HEAD), 0);
      peer.send(LAST_CHUNK);
    });
    const reply = await client().send(aCall(upstream.url, { idleLimit: IDLE_LIMIT }));
    await delay(2 * IDLE_LIMIT.ms);
    expect(await textOf(reply)).toBe('abc');
  });

  it('leaves no clock running behind an answer', async () => {
    const upstream = await served((peer) => void peer.send(answer()));
    const reply = await client().send(aCall(upstream.url, { headLimit: HEAD_LIMIT, idleLimit: IDLE_LIMIT }));
    await textOf(reply);
    await delay(2 * IDLE_LIMIT.ms);
    expect(upstream.peers[0]?.socket.writable).toBe(true);
  });
});

describe('UpstreamClient, cancellation', () => {
  const left = new Error('the client left');

  it('sends nothing for a request that was given up before', async () => {
    const upstream = await served(() => undefined);
    const call = aCall(upstream.url, { signal: AbortSignal.abort(left) });
    expect(await failureOf(client().send(call))).toBe(left);
    expect(upstream.peers).toHaveLength(0);
  });

  it('sends nothing for a request that is given up while an interceptor gets ready', async () => {
    const upstream = await served(() => undefined);
    const aborter = new AbortController();
    const calls = client([
      {
        async intercept(_attempt, next) {
          await Promise.resolve();
          aborter.abort(left);
          return next();
        },
      },
    ]);
    expect(await failureOf(calls.send(aCall(upstream.url, { signal: aborter.signal })))).toBe(left);
    expect(upstream.peers.filter(({ text }) => text !== '')).toHaveLength(0);
  });

  it('closes the connection of a call that waits for its head, and rejects with the reason', async () => {
    const aborter = new AbortController();
    const upstream = await served(() => {
      aborter.abort(left);
    });
    expect(await failureOf(client().send(aCall(upstream.url, { signal: aborter.signal })))).toBe(left);
    await upstream.peers[0]?.closed;
  });

  it('closes the connection of an answer that is being read, and rejects with the reason', async () => {
    const aborter = new AbortController();
    const upstream = await served((peer) => chunkAfter(peer.send(HEAD), 0));
    const reply = await client().send(aCall(upstream.url, { signal: aborter.signal }));
    const failed = failureOf(
      reply.body.pipe({
        write() {
          aborter.abort(left);
          return true;
        },
      }),
    );
    expect(await failed).toBe(left);
    await upstream.peers[0]?.closed;
  });

  it('closes the connection of an answer whose reader wants no more', async () => {
    const aborter = new AbortController();
    const upstream = await served((peer) => chunkAfter(peer.send(HEAD), 0));
    const reply = await client().send(aCall(upstream.url, { signal: aborter.signal }));
    const full = Promise.withResolvers<undefined>();
    const failed = failureOf(
      reply.body.pipe({
        write() {
          full.resolve(undefined);
          return false;
        },
      }),
    );
    await full.promise;
    aborter.abort(left);
    expect(await failed).toBe(left);
    await upstream.peers[0]?.closed;
  });

  it('closes no connection that another call uses by then', async () => {
    const upstream = await served(async (peer) => {
      peer.send(answer());
      await peer.until('{"a":1}', 2);
      peer.send(answer('second'));
    });
    const aborter = new AbortController();
    const calls = client();
    await textOf(await calls.send(aCall(upstream.url, { signal: aborter.signal })));
    const second = calls.send(aCall(upstream.url));
    aborter.abort(left);
    expect(await textOf(await second)).toBe('second');
  });

  it('gives a reason that is no error as the cause of one', async () => {
    const aborter = new AbortController();
    const upstream = await served(() => {
      aborter.abort('words');
    });
    const failure = await failureOf(client().send(aCall(upstream.url, { signal: aborter.signal })));
    expect(failure).toMatchObject({ name: 'Error', message: 'aborted', cause: 'words' });
  });
});
