import { beforeEach, describe, expect, it } from '@jest/globals';
import { RawUpstream, cleanup, json } from '#testing';
import type { ConnectionScript } from '#testing';
import { DisaggBench, answering, called, deadTarget, recordLogs, secret, targetOf } from '../disagg.fixture.ts';
import type { Exchange, LogLine } from '../disagg.fixture.ts';
import { ONE_ENGINE, connector, run } from './transfer.fixture.ts';
import type { Connector } from './transfer.fixture.ts';

let bench: DisaggBench;
let logs: LogLine[];
let content: string;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  logs = recordLogs();
  content = secret();
});

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  closing(() => upstream.close());
  return upstream;
}

/** A worker that never answers. */
const silent = (): Promise<RawUpstream> => raw(() => undefined);
/** A worker that answers with these bytes and ends. */
const saying = (bytes: string): Promise<RawUpstream> =>
  raw(async (peer) => {
    await peer.until('}');
    peer.send(bytes).end();
  });

const warnings = (): LogLine[] => logs.filter(({ level }) => level === 'warn');

describe.each<Connector>(['offloading', 'mooncake', 'sglang'])('prefill beside decode with %s', (name) => {
  /** The client's exchange, and what it gets. */
  async function start(
    prefiller: Parameters<typeof run>[2] | { readonly url: string },
    decoder?: string,
    body = `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`,
  ): Promise<{ exchange: Exchange; answer: ReturnType<typeof run> }> {
    const bootstrap = await bench.worker(answering(ONE_ENGINE));
    const bootstrapPort = Number(new URL(bootstrap.url).port);
    const exchange = bench.exchange({ body, headers: ['authorization', content] }, decoder);
    const target = 'url' in prefiller ? targetOf(prefiller) : prefiller;
    const answer = run(connector(name, bench, { bootstrapPort }), exchange, target);
    // a test may look at other things first
    answer.catch(() => undefined);
    return { exchange, answer };
  }

  it('answers with decode, both calls being made once', async () => {
    const prefiller = await bench.worker();
    const { exchange, answer } = await start(prefiller);
    expect(await answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(await exchange.watch.settled()).toEqual(['decode: good', 'prefill: good']);
    expect([prefiller.requests.length, bench.engine.requests.length]).toEqual([1, 1]);
    expect(exchange.watch.facts).toMatchObject({ isConcurrent: true });
    expect(logs.filter(({ level }) => level !== 'debug')).toEqual([]);
  });

  it('does not wait for a prefill that is slower, which runs to its end', async () => {
    const go = Promise.withResolvers<undefined>();
    const prefiller = await bench.worker(async (_, response) => {
      await go.promise;
      json(response, '{"choices":[{}]}');
    });
    const { exchange, answer } = await start(prefiller);
    expect((await answer).status).toBe(200);
    await prefiller.received(1);
    expect(exchange.watch.open).toEqual(['prefill']);
    go.resolve(undefined);
    expect(await exchange.watch.settled()).toEqual(['decode: good', 'prefill: good']);
    expect(await prefiller.requests[0]?.aborted).toBe(false);
  });

  it('reads the answer of prefill to its end, so that its connection serves the next', async () => {
    const prefiller = await bench.worker(answering(`{"choices":[{"text":"${'x'.repeat(100_000)}"}]}`));
    for (const nth of [1, 2]) {
      const { exchange, answer } = await start(prefiller);
      await answer;
      expect(await exchange.watch.settled()).toContain('prefill: good');
      expect([prefiller.requests.length, prefiller.connections]).toEqual([nth, 1]);
    }
  });

  it.each([
    [500, 'status_5xx'],
    [400, 'status_4xx'],
    [302, 'status_3xx'],
  ])('answers with decode when prefill answers %d, and says so', async (status, failure) => {
    const prefiller = await bench.worker(answering(`{"error":"${content}"}`, status));
    const { exchange, answer } = await start(prefiller);
    expect(await answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(await exchange.watch.settled()).toEqual(['decode: good', `prefill: ${failure}`]);
    expect(warnings()).toMatchObject([{ fields: { 'x-request-id': 'req-1', status } }]);
    expect(JSON.stringify(logs)).not.toContain(content);
  });

  it.each([
    ['an error', '{"error":{"message":"SECRET"}}'],
    ['no choice', '{"choices":[]}'],
    ['the finish reason error', '{"choices":[{},{"finish_reason":"error"}]}'],
    ['the finish reason abort', '{"choices":[{"finish_reason":"abort"}]}'],
  ])('counts a prefill of 200 with %s as failed', async (_, body) => {
    const { exchange, answer } = await start(await bench.worker(answering(body.replace('SECRET', content))));
    expect((await answer).status).toBe(200);
    expect(await exchange.watch.settled()).toEqual(['decode: good', 'prefill: invalid_answer']);
    expect(warnings()).toMatchObject([{ fields: { failure: 'invalid_answer' } }]);
    expect(JSON.stringify(logs)).not.toContain(content);
  });

  it.each([
    ['data: {"choices":[{"finish_reason":"abort"}]}\n\ndata: [DONE]\n\n', 'invalid_answer'],
    ['data: {"error":{"message":"x"}}\n\n', 'invalid_answer'],
    ['data: {"choices":[{"delta":{"content":"\\"abort\\""}}]}\n\ndata: {"choices":[],"usage":{}}\n\n', 'good'],
  ])('looks at the events of a prefill that streams: %j is %s', async (events, end) => {
    const prefiller = await bench.worker((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
    });
    const { exchange, answer } = await start(prefiller);
    await answer;
    expect(await exchange.watch.settled()).toEqual(['decode: good', `prefill: ${end}`]);
  });

  it.each([
    ['refused', 'refused', () => deadTarget()],
    ['cut before its head', 'reset', async () => targetOf(await saying(''))],
    ['cut in its body', 'reset', async () => targetOf(await saying('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a'))],
  ] as const)('answers with decode when prefill is %s', async (_, failure, target) => {
    const { exchange, answer } = await start(await target());
    expect(await answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(await exchange.watch.settled()).toEqual(['decode: good', `prefill: ${failure}`]);
    expect(warnings()).toMatchObject([{ fields: { failure } }]);
  });

  it('calls both legs off when the client leaves before any answer', async () => {
    const prefiller = await silent();
    const engine = await silent();
    const { exchange, answer } = await start(prefiller, engine.url);
    await Promise.all([called(prefiller), called(engine)]);
    exchange.leave();
    await Promise.all([prefiller.peers[0]?.closed, engine.peers[0]?.closed]);
    await answer;
    expect(await exchange.watch.settled()).toEqual(['decode: client_closed', 'prefill: client_closed']);
    expect(warnings()).toEqual([]);
  });

  it('calls both legs off when the client leaves in the middle of the answer', async () => {
    const prefiller = await silent();
    const engine = await raw(async (peer) => {
      await Promise.all([peer.until('}'), called(prefiller)]);
      peer.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc');
    });
    const { exchange, answer } = await start(prefiller, engine.url);
    exchange.onChunk = () => {
      exchange.leave();
    };
    await expect(answer).rejects.toThrow('the client closed the connection');
    await Promise.all([prefiller.peers[0]?.closed, engine.peers[0]?.closed]);
    expect(await exchange.watch.settled()).toEqual(['decode: client_closed', 'prefill: client_closed']);
  });

  it('answers 503 when the engine refuses the connection, and calls prefill off', async () => {
    const prefiller = await silent();
    const { exchange, answer } = await start(prefiller, bench.stages.baseOf('decode', await deadTarget()));
    expect(await answer).toMatchObject({ status: 503, body: expect.stringContaining('ServiceUnavailable') });
    expect(await exchange.watch.settled()).toEqual(['decode: refused', 'prefill: called_off']);
    await Promise.all(prefiller.peers.map((peer) => peer.closed));
    expect(warnings()).toEqual([]);
  });

  it.each([
    ['before its head', ''],
    ['in its head', 'HTTP/1.1 200 OK\r\n'],
  ])('answers 502 when the engine breaks %s, and calls prefill off', async (_, sent) => {
    const prefiller = await silent();
    const { exchange, answer } = await start(prefiller, (await saying(sent)).url);
    expect((await answer).status).toBe(502);
    expect(await exchange.watch.settled()).toEqual(['decode: reset', 'prefill: called_off']);
    await Promise.all(prefiller.peers.map((peer) => peer.closed));
  });

  it('breaks the answer off when the engine breaks in its body, and calls prefill off', async () => {
    const prefiller = await silent();
    const engine = await saying('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc');
    const { exchange, answer } = await start(prefiller, engine.url);
    await expect(answer).rejects.toThrow('decode broke the connection');
    expect(await exchange.watch.settled()).toEqual(['decode: reset', 'prefill: called_off']);
    await Promise.all(prefiller.peers.map((peer) => peer.closed));
  });

  it.each([400, 500])('relays an answer of %d of the engine, and calls prefill off', async (status) => {
    bench.engine.handler = answering('{"object":"error"}', status);
    const prefiller = await silent();
    const { exchange, answer } = await start(prefiller);
    expect(await answer).toMatchObject({ status, body: '{"object":"error"}' });
    expect(await exchange.watch.settled()).toEqual([`decode: status_${status / 100}xx`, 'prefill: called_off']);
    await Promise.all(prefiller.peers.map((peer) => peer.closed));
  });
});
