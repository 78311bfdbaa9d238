import { describe, expect, it, beforeEach } from '@jest/globals';
import { UpstreamAnswerError } from '#foundation';
import { rawJson } from '#json';
import { RawUpstream, cleanup } from '#testing';
import type { ConnectionScript } from '#testing';
import { DisaggBench, answering, deadTarget, targetOf } from './disagg.fixture.ts';
import type { Exchange } from './disagg.fixture.ts';
import { StageClient } from './stage.client.ts';
import type { Leg, WholeAnswer } from './stage.client.ts';

let bench: DisaggBench;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
});

const legTo = (base: string, changes: Partial<Leg> = {}): Leg => ({
  stage: 'prefill',
  base,
  body: rawJson('{"a":1}'),
  ...changes,
});

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  closing(() => upstream.close());
  return upstream;
}

const HEADERS = [
  ...['Host', 'a.example', 'Content-Type', 'text/plain', 'Content-Length', '5', 'X-Request-Id', 'other'],
  ...['Authorization', 'Bearer k', 'X-Custom', '1', 'X-Custom', '2', 'Connection', 'x-hop', 'X-Hop', '1'],
  ...['x-prefiller-host-port', 'a:1', 'x-encoder-hosts-ports', 'b:2', 'x-kv-cache-source-host-port', 'c:3'],
  ...['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
];

describe('StageClient', () => {
  it("sends a leg to the client's path and query, with its headers and one request id", async () => {
    const exchange = bench.exchange({ path: '/v1/completions?a=%20b', headers: HEADERS });
    await bench.stages.whole(exchange.request, legTo(bench.engine.url));
    const [request] = bench.engine.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v1/completions?a=%20b' });
    expect(request?.body.toString()).toBe('{"a":1}');
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'content-length': '7',
      'x-request-id': 'req-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(Object.keys(request?.headers ?? {}).filter((name) => /hop|prefiller|encoder|kv-cache/.test(name))).toEqual(
      [],
    );
  });

  it('sends a header that came in several lines as often, one of its own once', async () => {
    const exchange = bench.exchange({ headers: [...HEADERS, 'X-Own', 'theirs', 'X-Own', 'theirs too'] });
    await bench.stages.whole(exchange.request, legTo(bench.engine.url, { headers: ['x-own', 'ours'] }));
    expect(bench.engine.requests[0]?.headers).toMatchObject({ 'x-custom': '1, 2', 'x-own': 'ours' });
  });

  it("leaves the client's headers out of a bare leg, but not the trace", async () => {
    const exchange = bench.exchange({ headers: HEADERS });
    const leg = legTo(bench.engine.url, { isBare: true, path: '/p', headers: ['x-request-id', 'req-1-enc-0'] });
    await bench.stages.whole(exchange.request, leg);
    const { host, connection, ...own } = bench.engine.requests[0]?.headers ?? {};
    expect([host, connection]).not.toContain(undefined);
    expect(own).toEqual({
      'content-type': 'application/json',
      'content-length': '7',
      'x-request-id': 'req-1-enc-0',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
  });

  it.each([
    ['http', '10.0.0.5:8000'],
    ['https', '[::1]:8000'],
  ])('calls a worker over %s', (scheme, address) => {
    const clients = { encode: bench.prefillClient, prefill: bench.prefillClient, decode: bench.prefillClient };
    const stages = new StageClient(clients, new Set(scheme === 'https' ? (['prefill'] as const) : []));
    const host = address.startsWith('[') ? '::1' : '10.0.0.5';
    expect(stages.baseOf('prefill', { host, port: 8000 })).toBe(`${scheme}://${address}`);
  });

  it.each([
    [200, 'good'],
    [204, 'good'],
    [302, 'status_3xx'],
    [400, 'status_4xx'],
    [503, 'status_5xx'],
  ])('gives an answer of %d whole, and ends its stage as %s', async (status, end) => {
    bench.engine.handler = answering(status === 204 ? '' : '{"b":2}', status);
    const exchange = bench.exchange();
    const answer = await bench.stages.whole(exchange.request, legTo(bench.engine.url));
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
    expect(exchange.watch.ends).toEqual([`prefill: ${end}`]);
  });

  it('ends the stage of a good status as failed when the look at the answer says so', async () => {
    const exchange = bench.exchange();
    const check = (answer: WholeAnswer): Promise<void> =>
      Promise.reject(new UpstreamAnswerError('prefill', `${answer.status} of no use`));
    await expect(bench.stages.whole(exchange.request, legTo(bench.engine.url), check)).rejects.toThrow('200 of no use');
    expect(exchange.watch.ends).toEqual(['prefill: invalid_answer']);
  });

  describe.each<[string, (exchange: Exchange, leg: Leg) => Promise<unknown>]>([
    ['whole', ({ request }, leg) => bench.stages.whole(request, leg)],
    [
      'stream',
      async ({ request }, leg) => {
        const reply = await bench.stages.stream(request, leg);
        await reply.body.pipe({ write: () => true });
      },
    ],
  ])('%s', (_, call) => {
    it('fails as refused where nobody listens', async () => {
      const exchange = bench.exchange();
      const base = bench.stages.baseOf('prefill', await deadTarget());
      await expect(call(exchange, legTo(base))).rejects.toThrow('prefill could not be reached');
      expect(exchange.watch.ends).toEqual(['prefill: refused']);
    });

    it.each([
      ['before its head', ''],
      ['within its head', 'HTTP/1.1 200 OK\r\ncontent-'],
      ['within its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ])('fails as reset when the answer is cut %s', async (_where, sent) => {
      const exchange = bench.exchange();
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(sent).end();
      });
      await expect(call(exchange, legTo(upstream.url))).rejects.toThrow('prefill broke the connection');
      expect(exchange.watch.ends).toEqual(['prefill: reset']);
    });

    it.each([
      ['before its head', ''],
      ['within its body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc'],
    ])('is called off when the client leaves %s', async (_where, sent) => {
      const exchange = bench.exchange();
      const upstream = await raw(async (peer) => {
        await peer.until('{"a":1}');
        peer.send(sent);
        exchange.leave();
      });
      await expect(call(exchange, legTo(upstream.url))).rejects.toThrow('the client closed the connection');
      expect(exchange.watch.ends).toEqual(['prefill: client_closed']);
      await upstream.peers[0]?.closed;
    });
  });

  it('ends a streamed stage with its last byte, not its head', async () => {
    const exchange = bench.exchange();
    const go = Promise.withResolvers<undefined>();
    const upstream = await raw(async (peer) => {
      await peer.until('{"a":1}');
      peer.send('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
      await go.promise;
      peer.send('cd');
    });
    const reply = await bench.stages.stream(exchange.request, legTo(upstream.url, { stage: 'decode' }));
    expect(exchange.watch.open).toEqual(['decode']);
    const chunks: Buffer[] = [];
    const read = reply.body.pipe({ write: (chunk) => chunks.push(chunk) > 0 });
    go.resolve(undefined);
    await read;
    expect(exchange.watch.ends).toEqual(['decode: good']);
    expect(Buffer.concat(chunks).toString()).toBe('abcd');
  });

  it("forwards the client's request as it came, its own description of the body included", async () => {
    const exchange = bench.exchange({ path: '/v1/x?y', body: 'not JSON', headers: HEADERS });
    const reply = await bench.stages.forward(exchange.request, bench.engine.url);
    reply.body.discard();
    expect(bench.engine.requests[0]?.body.toString()).toBe('not JSON');
    expect(bench.engine.requests[0]).toMatchObject({ path: '/v1/x?y', headers: { 'x-custom': '1, 2' } });
    await exchange.watch.settled();
    expect(exchange.watch.ends).toEqual(['decode: good']);
  });

  it('finds its way to a target by its text', async () => {
    const exchange = bench.exchange();
    await bench.stages.whole(exchange.request, legTo(bench.stages.baseOf('prefill', targetOf(bench.engine))));
    expect(bench.engine.requests).toHaveLength(1);
  });
});
