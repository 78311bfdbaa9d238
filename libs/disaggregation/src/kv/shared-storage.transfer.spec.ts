import { beforeEach, describe, expect, it } from '@jest/globals';
import { RawUpstream, cleanup } from '#testing';
import type { ConnectionScript, FakeUpstream } from '#testing';
import { DisaggBench, answering, called, deadTarget, recordLogs, secret, sentTo, targetOf } from '../disagg.fixture.ts';
import { connector, run } from './transfer.fixture.ts';

let bench: DisaggBench;
let prefiller: FakeUpstream;
const closing = cleanup();

beforeEach(async () => {
  bench = await DisaggBench.start();
  closing(() => bench.close());
  prefiller = await bench.worker();
  recordLogs();
});

async function raw(script: ConnectionScript): Promise<RawUpstream> {
  const upstream = await RawUpstream.start(script);
  closing(() => upstream.close());
  return upstream;
}

describe('SharedStorageTransfer', () => {
  const transfer = (): ReturnType<typeof connector> => connector('shared-storage', bench);

  it('prefills, waits, and decodes, each once', async () => {
    const order: string[] = [];
    prefiller.handler = (request, response) => {
      order.push('prefill');
      return answering('{"choices":[{}]}')(request, response);
    };
    bench.engine.handler = (request, response) => {
      order.push('decode');
      return answering('{"id":"decoded"}')(request, response);
    };
    const exchange = bench.exchange();
    expect(await run(transfer(), exchange, prefiller)).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(order).toEqual(['prefill', 'decode']);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: good']);
  });

  it.each([
    ['{"max_tokens":100,"max_completion_tokens":100}', [1, 1], [100, 100]],
    ['{}', [1, 1], [undefined, undefined]],
  ])('caps both limits of %s on prefill, and gives decode what the client sent', async (body, capped, sent) => {
    await run(transfer(), bench.exchange({ body }), prefiller);
    const limits = (of: FakeUpstream): unknown[] => {
      const { max_tokens, max_completion_tokens } = sentTo(of);
      return [max_tokens, max_completion_tokens];
    };
    expect([limits(prefiller), limits(bench.engine)]).toEqual([capped, sent]);
  });

  it('prefills without a stream and without a minimum above its one token', async () => {
    await run(transfer(), bench.exchange({ body: '{"stream":true,"min_tokens":100}' }), prefiller);
    expect(sentTo(prefiller)).toMatchObject({ stream: false, min_tokens: 1, cache_hit_threshold: 0 });
    expect(sentTo(bench.engine)).toEqual({ stream: true, min_tokens: 100, cache_hit_threshold: 0 });
  });

  it('lets what a client sent as transfer parameters through', async () => {
    await run(transfer(), bench.exchange({ body: '{"kv_transfer_params":{"a":1}}' }), prefiller);
    for (const worker of [prefiller, bench.engine]) expect(sentTo(worker)['kv_transfer_params']).toEqual({ a: 1 });
  });

  it.each([
    [400, 'status_4xx'],
    [422, 'status_4xx'],
    [404, 'status_4xx'],
    [500, 'status_5xx'],
    [302, 'status_3xx'],
  ])('relays a refusal of %d with its headers and body, and does not decode', async (status, failure) => {
    const refusal = '{"error":{"message":"bad image","type":"BadRequestError","code":400}}';
    prefiller.handler = (request, response) => {
      response.setHeader('x-why', 'image');
      return answering(refusal, status)(request, response);
    };
    for (const body of ['{}', '{"stream":true}']) {
      const exchange = bench.exchange({ body });
      const answer = await run(transfer(), exchange, prefiller);
      expect(answer).toMatchObject({
        status,
        headers: { 'x-why': 'image', 'content-type': 'application/json' },
        body: refusal,
      });
      expect(exchange.watch.ends).toEqual([`prefill: ${failure}`]);
    }
    expect(bench.engine.requests).toEqual([]);
  });

  it.each([
    ['a top-level error', '{"error":{"message":"SECRET"}}'],
    ['no choice', '{"choices":[]}'],
    ['the finish reason error', '{"choices":[{"finish_reason":"error"}]}'],
    ['the finish reason abort', '{"choices":[{"finish_reason":"abort"}]}'],
  ])('answers 502 to a prefill of 200 with %s, and does not decode', async (_, body) => {
    const content = secret();
    const logs = recordLogs();
    prefiller.handler = answering(body.replace('SECRET', content));
    const exchange = bench.exchange();
    const answer = await run(transfer(), exchange, prefiller);
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining('BadGateway') });
    expect(exchange.watch.ends).toEqual(['prefill: invalid_answer']);
    expect(bench.engine.requests).toEqual([]);
    expect(JSON.stringify([answer, logs])).not.toContain(content);
  });

  it.each(['{"error":null,"choices":[{"finish_reason":"length"}]}', 'not JSON', ''])(
    'goes on after a prefill that answers %j',
    async (body) => {
      prefiller.handler = answering(body);
      expect((await run(transfer(), bench.exchange(), prefiller)).status).toBe(200);
    },
  );

  describe('where prefill fails', () => {
    it.each<[string, string, () => Promise<{ readonly host: string; readonly port: number }>]>([
      ['is not there', 'refused', deadTarget],
      [
        'is cut before its head',
        'reset',
        async () =>
          targetOf(
            await raw((peer) => {
              peer.end();
            }),
          ),
      ],
      [
        'is cut in its body',
        'reset',
        async () =>
          targetOf(
            await raw(async (peer) => {
              await peer.until('}');
              peer.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"a').end();
            }),
          ),
      ],
    ])('answers 502 when it %s, and does not decode', async (_, failure, target) => {
      const exchange = bench.exchange();
      expect((await run(transfer(), exchange, await target())).status).toBe(502);
      expect(exchange.watch.ends).toEqual([`prefill: ${failure}`]);
      expect(bench.engine.requests).toEqual([]);
    });

    it('calls it off when the client leaves, and does not decode', async () => {
      const silent = await raw(() => undefined);
      const exchange = bench.exchange();
      const answer = run(transfer(), exchange, targetOf(silent));
      const peer = await called(silent);
      exchange.leave();
      await answer;
      await peer.closed;
      expect(exchange.watch.ends).toEqual(['prefill: client_closed']);
      expect(bench.engine.requests).toEqual([]);
    });
  });

  it('answers 503 when the engine refuses the connection', async () => {
    const exchange = bench.exchange({}, bench.stages.baseOf('decode', await deadTarget()));
    expect((await run(transfer(), exchange, prefiller)).status).toBe(503);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: refused']);
  });

  it('calls decode off when the client leaves in the middle of the answer', async () => {
    const engine = await raw(async (peer) => {
      await peer.until('}');
      peer.send('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc');
    });
    const exchange = bench.exchange({}, engine.url);
    exchange.onChunk = () => {
      exchange.leave();
    };
    await expect(run(transfer(), exchange, prefiller)).rejects.toThrow('the client closed the connection');
    await engine.peers[0]?.closed;
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: client_closed']);
  });
});
