import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { hostPortText } from '#protocol';
import { cleanup } from '#testing';
import { DisaggBench, answering, deadTarget, sentTo } from '../disagg.fixture.ts';
import type { Exchange, Sent } from '../disagg.fixture.ts';
import { readRequest } from '../entry.service.ts';
import { ChunkedDecode } from './chunked-decode.ts';
import { LocalDecode } from './local-decode.ts';

const later = cleanup();

async function aBench(): Promise<DisaggBench> {
  const bench = await DisaggBench.start();
  later(() => bench.close());
  return bench;
}

const OTHER = ['x-data-parallel-host-port', '10.0.0.1:8001'];
const CHAT = '{"messages":[]}';

/** An exchange with a decode whose rank 1 is known as `10.0.0.1:8001`, and whose answers are made in chunks. */
async function withRanks(sent: Sent) {
  const bench = await aBench();
  const rankOne = await bench.worker(answering('{"id":"rank 1"}'));
  const ranks = new Map([
    ['10.0.0.1:8000', bench.engine.url],
    ['10.0.0.1:8001', rankOne.url],
  ]);
  const decode = new LocalDecode(bench.stages, ranks, new ChunkedDecode(bench.stages, 5));
  return { bench, decode, rankOne, exchange: bench.exchange({ body: CHAT, ...sent }) };
}

/** What a client of `decode` gets. */
async function decoded(decode: LocalDecode, exchange: Exchange, headers?: readonly string[]): Promise<string> {
  const read = await readRequest(exchange.request);
  return (await exchange.received(decode.decode(read, read.json.remove('gone'), headers))).body;
}

describe('LocalDecode', () => {
  it('sends a request on as it came', async () => {
    const bench = await aBench();
    const body = '{ "a":9007199254740993 , "a":1.0}';
    const exchange = bench.exchange({ path: '/v1/completions?x=1', body, headers: ['X-Custom', '1'] });
    const answer = await exchange.received(bench.decode.forward(exchange.request));
    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(bench.engine.requests[0]).toMatchObject({ method: 'POST', path: '/v1/completions?x=1' });
    expect(bench.engine.requests[0]?.body.toString()).toBe(body);
    expect(bench.engine.requests[0]?.headers).toMatchObject({ 'x-custom': '1', 'x-request-id': 'req-1' });
    expect(exchange.watch.ends).toEqual(['decode: good']);
  });

  it('sends a body with headers of its own, and relays whatever the engine says', async () => {
    const bench = await aBench();
    bench.engine.handler = answering('no', 429);
    const exchange = bench.exchange({ body: '{"gone":1,"kept": 1.0}' });
    expect(await decoded(bench.decode, exchange, ['x-data-parallel-rank', '3'])).toBe('no');
    expect(bench.engine.requests[0]?.body.toString()).toBe('{"kept": 1.0}');
    expect(bench.engine.requests[0]?.headers).toMatchObject({ 'x-data-parallel-rank': '3' });
    expect(exchange.watch.ends).toEqual(['decode: status_4xx']);
  });

  it('can be given up before the client leaves', async () => {
    const bench = await aBench();
    bench.engine.handler = () => undefined;
    const exchange = bench.exchange();
    const read = await readRequest(exchange.request);
    const giving = new AbortController();
    const answer = exchange.received(bench.decode.stream(read, read.json, [], giving.signal));
    await bench.engine.received(1);
    giving.abort(new BadRequestError('invalid_value', 'not wanted'));
    expect((await answer).status).toBe(400);
    expect(await bench.engine.requests[0]?.aborted).toBe(true);
  });

  it('is a 503 where nobody listens, so that the request is tried elsewhere', async () => {
    const bench = await aBench();
    const exchange = bench.exchange({}, `http://${hostPortText(await deadTarget())}`);
    expect((await exchange.received(bench.decode.forward(exchange.request))).status).toBe(503);
    expect(exchange.watch.ends).toEqual(['decode: refused']);
  });
});

describe('LocalDecode, data-parallel ranks', () => {
  it('goes to the rank that the base listener is asked for', async () => {
    const { decode, rankOne, bench, exchange } = await withRanks({ headers: OTHER });
    expect(await decoded(decode, exchange)).toBe('{"id":"rank 1"}');
    expect(bench.engine.requests).toHaveLength(0);
    expect(exchange.watch.facts).toEqual({ isDataParallel: true, decodeTarget: rankOne.url });
  });

  it('goes to rank 0 by its address too', async () => {
    const { decode, exchange } = await withRanks({ headers: ['X-Data-Parallel-Host-Port', ' 10.0.0.1:8000 '] });
    expect(await decoded(decode, exchange)).toBe('{"id":"decoded"}');
  });

  it('stays with the engine of another listener, whatever is asked for', async () => {
    const { decode, exchange } = await withRanks({ headers: OTHER, rank: 1, path: '/v1/completions' });
    expect(await decoded(decode, exchange)).toBe('{"id":"decoded"}');
    expect(exchange.watch.facts).toEqual({});
  });

  it.each(['10.0.0.1:8002', '10.0.0.2:8001', 'x', ':8001', 'http://'])(
    'is a 400 for a rank that is none: %s',
    async (rank) => {
      const { decode, bench, exchange } = await withRanks({ headers: ['x-data-parallel-host-port', rank] });
      const answer = exchange.received(readRequest(exchange.request).then((read) => decode.stream(read, read.json)));
      expect((await answer).status).toBe(400);
      expect(bench.engine.requests).toHaveLength(0);
    },
  );
});

describe('LocalDecode, chunks', () => {
  it.each<[string, Sent, boolean]>([
    ['chat', {}, true],
    ['chat with a query', { path: '/v1/chat/completions?x=1' }, true],
    ['chat of another listener', { rank: 1, headers: OTHER }, true],
    ['chat for another rank', { headers: OTHER }, false],
    ['completions', { path: '/v1/completions' }, false],
    ['messages', { path: '/v1/messages' }, false],
    ['responses', { path: '/v1/responses' }, false],
    ['generate', { path: '/inference/v1/generate' }, false],
  ])('%s', async (_, sent, expected) => {
    const { decode, bench, exchange } = await withRanks(sent);
    expect(decode.isChunked(exchange.request)).toBe(expected);
    await decoded(decode, exchange);
    const called = bench.engine.requests.map((_request, nth) => Object.keys(sentTo(bench.engine, nth)));
    expect(called.flat().includes('max_completion_tokens')).toBe(expected);
  });

  it('are none where none are asked for', async () => {
    const bench = await aBench();
    const exchange = bench.exchange({ body: CHAT });
    expect(bench.decode.isChunked(exchange.request)).toBe(false);
    await decoded(bench.decode, exchange);
    expect(bench.engine.requests[0]?.body.toString()).toBe(CHAT);
  });

  it('are calls with the headers of the leg', async () => {
    const { decode, bench, exchange } = await withRanks({});
    await decoded(decode, exchange, ['x-data-parallel-rank', '3']);
    expect(bench.engine.requests[0]?.headers).toMatchObject({ 'x-data-parallel-rank': '3' });
  });
});
