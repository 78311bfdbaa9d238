import { beforeEach, describe, expect, it } from '@jest/globals';
import { JsonObject, rawJson } from '#json';
import { RawUpstream, cleanup } from '#testing';
import type { ConnectionScript, FakeUpstream, Handler } from '#testing';
import { DisaggBench, answering, called, recordLogs, sentTo, targetOf } from '../disagg.fixture.ts';
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

const BELOW = '{"choices":[{"finish_reason":"cache_threshold"}]}';
const BELOW_EVENTS =
  'data: {"choices":[{"delta":{"role":"assistant"},"finish_reason":null}]}\n\n' + `data: ${BELOW}\n\ndata: [DONE]\n\n`;
const events =
  (text: string): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-attempt': '1' }).end(text);
  };

/** The engine's answers, one after another. */
const inTurn =
  (...handlers: readonly Handler[]): Handler =>
  (request, response) =>
    handlers[bench.engine.requests.length - 1]?.(request, response);

describe('SharedStorageTransfer with cache_hit_threshold', () => {
  const transfer = (): ReturnType<typeof connector> => connector('shared-storage', bench);
  const PLAIN = '{ "cache_hit_threshold":0.80, "seed":9007199254740993 }';
  const STREAM = '{ "cache_hit_threshold":0.80, "stream":true }';

  it('answers from the cache where that has enough, prefill not being called', async () => {
    bench.engine.handler = answering('{"choices":[{"finish_reason":"stop"}], "id":"cached"}');
    const exchange = bench.exchange({ body: PLAIN });
    const answer = await run(transfer(), exchange, prefiller);
    expect(answer).toMatchObject({ status: 200, body: '{"choices":[{"finish_reason":"stop"}], "id":"cached"}' });
    expect(bench.engine.requests.map(({ body }) => body.toString())).toEqual([PLAIN]);
    expect(prefiller.requests).toEqual([]);
    expect(exchange.watch.ends).toEqual(['decode: good']);
  });

  it('streams from the cache where that has enough, from the first byte on', async () => {
    const text =
      'data: {"choices":[{"delta":{"role":"assistant"}}]}\r\n\r\n: ping\r\n\r\ndata: {"choices":[{}]}\r\n\r\n';
    bench.engine.handler = events(`${text}data: [DONE]\r\n\r\n`);
    const answer = await run(transfer(), bench.exchange({ body: STREAM }), prefiller);
    expect(answer).toMatchObject({
      headers: { 'content-type': 'text/event-stream' },
      body: `${text}data: [DONE]\r\n\r\n`,
    });
    expect(prefiller.requests).toEqual([]);
  });

  it.each<[string, string, Handler]>([
    ['plain', PLAIN, answering(BELOW)],
    ['streaming', STREAM, events(BELOW_EVENTS)],
    ['streaming, without an end of line', STREAM, events(`data: ${BELOW}`)],
    ['streaming, answered without a stream', STREAM, answering(BELOW)],
  ])('prefills where the cache has too little: %s', async (_, body, refusal) => {
    bench.engine.handler = inTurn(refusal, answering('{"id":"decoded"}'));
    const exchange = bench.exchange({ body });
    const answer = await run(transfer(), exchange, prefiller);
    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
    expect(answer.headers).not.toHaveProperty('x-attempt');
    expect(bench.engine.requests.map(({ body: sent }) => sent.toString())).toEqual([body, body.replace('0.80', '0')]);
    expect(prefiller.requests).toHaveLength(1);
    expect(sentTo(prefiller)['cache_hit_threshold']).toBe(0);
    await exchange.watch.settled();
    expect(exchange.watch.ends).toEqual(['decode: good', 'prefill: good', 'decode: good']);
  });

  it.each(['null', '0', '"x"'])('asks the cache whatever the threshold is: %s', async (threshold) => {
    await run(transfer(), bench.exchange({ body: `{"cache_hit_threshold":${threshold}}` }), prefiller);
    expect([prefiller.requests.length, bench.engine.requests.length]).toEqual([0, 1]);
  });

  it('looks at the finish reason, not at the text', async () => {
    for (const [body, handler] of [
      [PLAIN, answering('{"choices":[{"finish_reason":"stop","text":"cache_threshold"}]}')],
      [STREAM, events('data: {"choices":[{"delta":{"content":"\\"cache_threshold\\""}}]}\n\ndata: [DONE]\n\n')],
    ] as const) {
      bench.engine.handler = handler;
      await run(transfer(), bench.exchange({ body }), prefiller);
    }
    expect(prefiller.requests).toEqual([]);
  });

  it('passes over events that are no JSON', async () => {
    bench.engine.handler = inTurn(
      events(`event: x\ndata: cache_threshold {\n\ndata: ${BELOW}\n\n`),
      answering('{"id":"decoded"}'),
    );
    const answer = await run(transfer(), bench.exchange({ body: STREAM }), prefiller);
    expect([answer.body, prefiller.requests.length]).toEqual(['{"id":"decoded"}', 1]);
  });

  it.each([400, 500])('relays an answer of %d of the first try, and stops', async (status) => {
    bench.engine.handler = answering('{"object":"error"}', status);
    for (const body of [PLAIN, STREAM]) {
      const answer = await run(transfer(), bench.exchange({ body }), prefiller);
      expect(answer).toMatchObject({ status, body: '{"object":"error"}' });
    }
    expect(prefiller.requests).toEqual([]);
  });

  it('answers 500 to what is no JSON, and stops', async () => {
    bench.engine.handler = answering('no');
    const answer = await run(transfer(), bench.exchange({ body: PLAIN }), prefiller);
    expect(answer).toMatchObject({ status: 500, body: expect.stringContaining('InternalServerError') });
    expect(prefiller.requests).toEqual([]);
  });

  it('relays an answer that is larger than any refusal', async () => {
    const large = `{"choices":[{"finish_reason":"stop"}],"x":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    bench.engine.handler = answering(large);
    const answer = await run(transfer(), bench.exchange({ body: PLAIN }), prefiller);
    expect(answer.body === large).toBe(true);
  });

  it('lets the answer go after two events, with the rest still to come', async () => {
    const first = 'data: {"choices":[{"delta":{}}]}\n\ndata: {"choices":[{"delta":{"content":"a"}}]}\n\n';
    const engine = await raw(async (peer) => {
      await peer.until('}');
      peer.send(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${first.length + 3}\r\n\r\n`);
      peer.send(first.slice(0, 50));
      peer.send(first.slice(50));
      await isRead.promise;
      peer.send('end');
    });
    const isRead = Promise.withResolvers<undefined>();
    const exchange = bench.exchange({ body: STREAM }, engine.url);
    exchange.onChunk = () => {
      isRead.resolve(undefined);
    };
    expect((await run(transfer(), exchange, prefiller)).body).toBe(`${first}end`);
  });

  it.each([
    ['in its head', ''],
    [
      'before two events',
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\ndata: {}\n\n',
    ],
    ['in a plain answer', 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"a'],
  ])('answers 502 when the engine breaks %s, and stops', async (_, sent) => {
    const engine = await raw(async (peer) => {
      await peer.until('}');
      peer.send(sent).end();
    });
    const exchange = bench.exchange({ body: STREAM }, engine.url);
    expect((await run(transfer(), exchange, prefiller)).status).toBe(502);
    expect(exchange.watch.ends).toEqual(['decode: reset']);
    expect(prefiller.requests).toEqual([]);
  });

  it('breaks the answer off when the engine breaks behind two events', async () => {
    const engine = await raw(async (peer) => {
      await peer.until('}');
      peer.send('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 99\r\n\r\n');
      peer.send('data: {}\n\ndata: {}\n\n').end();
    });
    const exchange = bench.exchange({ body: STREAM }, engine.url);
    await expect(run(transfer(), exchange, prefiller)).rejects.toThrow('decode broke the connection');
    expect(exchange.watch.ends).toEqual(['decode: reset']);
  });

  it('calls the first try off when the client leaves', async () => {
    const engine = await raw(() => undefined);
    const exchange = bench.exchange({ body: STREAM }, engine.url);
    const answer = run(transfer(), exchange, prefiller);
    const peer = await called(engine);
    exchange.leave();
    await answer;
    await peer.closed;
    expect(exchange.watch.ends).toEqual(['decode: client_closed']);
    expect(prefiller.requests).toEqual([]);
  });

  it('takes a threshold of the encode stage for no wish of the client', async () => {
    const exchange = bench.exchange({ body: '{"a":1}' });
    const request = await exchange.transfer(targetOf(prefiller));
    const json = request.json.set('cache_hit_threshold', rawJson('0'));
    await exchange.received(transfer().run({ ...request, json, own: request.json }));
    expect([prefiller.requests.length, bench.engine.requests.length]).toEqual([1, 1]);
  });

  it("asks with the client's own threshold behind an encode stage too", async () => {
    const exchange = bench.exchange({ body: '{"cache_hit_threshold":0.80}' });
    const request = await exchange.transfer(targetOf(prefiller));
    const json = request.json.setAll({ ec_transfer_params: rawJson('{}'), cache_hit_threshold: rawJson('0') });
    await exchange.received(transfer().run({ ...request, json, own: request.json }));
    expect(
      JsonObject.of(bench.engine.requests[0]?.body ?? Buffer.from('{}'))
        .get('cache_hit_threshold')
        ?.bytes.toString(),
    ).toBe('0.80');
    expect(prefiller.requests).toEqual([]);
  });
});
