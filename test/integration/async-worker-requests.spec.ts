import { describe, expect, it, jest } from '@jest/globals';
import type { Handler } from '#testing';
import { NOTHING_KEPT, SECRET, payloadOf } from './async-worker.fixture.ts';
import { eventually } from './broker.fixture.ts';
import { workerBenches } from './worker-benches.fixture.ts';

jest.setTimeout(90_000);

const start = workerBenches();

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('the async worker, what the coordinator gets', () => {
  it('gets the trace that the request was queued in, and no id', async () => {
    const bench = await start();
    await bench.worker();
    await bench.enqueue('job-1', { metadata: { traceparent: TRACEPARENT, tracestate: 'a=1' } });
    await bench.answered('job-1');
    const headers = bench.upstream.requests[0]?.headers;
    expect(headers).toMatchObject({ traceparent: TRACEPARENT, tracestate: 'a=1' });
    expect(headers).not.toHaveProperty('x-request-id');
    expect(headers).not.toHaveProperty('x-llm-d-tenant');
  });

  it.each(['nonsense', '', '00-00000000000000000000000000000000-b7ad6b7169203331-01'])(
    'gets no trace where the envelope has %j',
    async (traceparent) => {
      const bench = await start();
      await bench.worker();
      await bench.enqueue('job-1', { metadata: { traceparent } });
      await bench.answered('job-1');
      expect(bench.upstream.requests[0]?.headers).not.toHaveProperty('traceparent');
    },
  );

  it('gets the headers that were queued, but for those of a hop, of the body, of routing and of the mode', async () => {
    const bench = await start();
    await bench.worker();
    const refused = {
      Host: 'elsewhere',
      'Content-Length': '3',
      'content-type': 'text/plain',
      'transfer-encoding': 'chunked',
      connection: 'x-nominated',
      'x-nominated': 'yes',
      'x-request-id': 'mine',
      'X-LLM-D-Async-Mode': 'enqueue',
      'EPP-Profile': 'prefill',
      'x-llm-d-pin-host-port': '10.0.0.1:80',
      'x-prefiller-host-port': '10.0.0.1:80',
      'x-gateway-destination-endpoint': '10.0.0.1:80',
      prefer: 'if-available',
      traceparent: TRACEPARENT,
    };
    await bench.enqueue('job-1', { headers: { 'x-llm-d-slo-ttft-ms': '200', Authorization: 'Bearer t', ...refused } });
    await bench.answered('job-1');
    const { host, 'content-length': length, ...headers } = bench.upstream.requests[0]?.headers ?? {};
    expect(host).toBe(new URL(bench.upstream.url).host);
    expect(Number(length)).toBe(bench.upstream.requests[0]?.body.length);
    expect(headers).toEqual({
      'x-llm-d-slo-ttft-ms': '200',
      authorization: 'Bearer t',
      'content-type': 'application/json',
      connection: 'keep-alive',
    });
  });

  it.each(['/v1/chat/completions', '/v1/completions', '/v1/responses', '/inference/v1/generate'])(
    'is asked at %s, behind the path of its address',
    async (endpoint) => {
      const bench = await start();
      await bench.worker({ coordinator: { address: `${bench.upstream.url}/behind/` } });
      await bench.enqueue('job-1', { endpoint });
      await bench.answered('job-1');
      expect(bench.upstream.requests[0]?.path).toBe(`/behind${endpoint}`);
    },
  );

  it('gets the body byte for byte', async () => {
    const bench = await start();
    await bench.worker();
    const payload = '{ "a" : 1.0e5 ,\n"b":"\\u00e9 é \\ud83d\\ude00","a":  12345678901234567890 }';
    await bench.enqueue('job-1', { payload });
    await bench.answered('job-1');
    expect(bench.upstream.requests[0]?.body.toString()).toBe(payload);
  });
});

describe('the async worker, what the client gets', () => {
  const answering =
    (body: Buffer | string, status = 200): Handler =>
    (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

  it.each([
    ['an empty body', ''],
    ['quotes, backslashes and controls', '{"a":"\\"\\\\\\n\\u0000"}\n\t\r\b\f\u0001\u007f'],
    ['what is no JSON', 'data: {"x":1}\n\ndata: [DONE]\n\n'],
    ['characters beyond ASCII', '{"a":"é 漢字 😀 \u2028"}'],
  ])('gets %s as the coordinator sent it', async (_what, body) => {
    const bench = await start(answering(body));
    await bench.worker();
    await bench.enqueue('job-1');
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: body });
  });

  it('gets an answer of several megabytes as the coordinator sent it', async () => {
    const body = `{"text":"${'a "quoted" 漢\\n'.repeat(300_000)}"}`;
    const bench = await start(answering(body));
    await bench.worker();
    await bench.enqueue('job-1');
    const { text } = await bench.answered('job-1');
    expect(text === body).toBe(true);
  });

  it('gets U+FFFD for what is no UTF-8', async () => {
    const bench = await start(answering(Buffer.from([0x61, 0xff, 0xc3, 0x22, 0xe6, 0xbc])));
    await bench.worker();
    await bench.enqueue('job-1');
    expect((await bench.answered('job-1')).text).toBe('a\ufffd\ufffd"\ufffd');
  });

  it('gets 204 without a body', async () => {
    const bench = await start((_, response) => void response.writeHead(204).end());
    await bench.worker();
    await bench.enqueue('job-1');
    expect(await bench.answered('job-1')).toEqual({ status: 204, text: '' });
  });

  it('is told of an answer that is too large, which is not asked for again', async () => {
    const bench = await start(answering('x'.repeat(1024 * 1024 + 1)));
    const worker = await bench.worker({ coordinator: { max_response_size: 1 } });
    await bench.enqueue('job-1');
    const { status, text } = await bench.answered('job-1');
    expect([status, text]).toEqual([502, expect.stringContaining('RESPONSE_TOO_LARGE')]);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toEqual({ outcome: 'delivered', failure: 'upstream_invalid_answer' });
    expect(bench.upstream.requests).toHaveLength(1);
  });

  it('has its result for as long as is configured', async () => {
    const bench = await start();
    await bench.worker({ worker: { result_ttl: '90s' } });
    const keys = await bench.enqueue('job-1');
    await bench.answered('job-1');
    expect(await bench.redis.ttl(keys.mailbox)).toBeGreaterThan(80);
    expect(await bench.redis.ttl(keys.mailbox)).toBeLessThanOrEqual(90);
  });

  it('keeps the result that it has, and that of a later request of its id', async () => {
    const bench = await start();
    const first = await bench.enqueue('job-1');
    const second = await bench.enqueue('job-2');
    await bench.redis.rPush(first.mailbox, JSON.stringify({ id: first.wireId, status_code: 200, payload: 'first' }));
    await bench.redis.set(second.active, 'another-token');
    const worker = await bench.worker();
    await eventually(() => worker.observer.ended.length === 2);
    expect(await bench.answered('job-1')).toEqual({ status: 200, text: 'first' });
    expect(await bench.answer('job-2')).toBe('pending');
    expect(await bench.redis.get(second.active)).toBe('another-token');
    expect(worker.observer.outcomes.toSorted()).toEqual(['cancelled', 'delivered']);
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});

describe('the async worker, keys of a request that are something else', () => {
  it('ends the request all the same', async () => {
    const bench = await start();
    const first = await bench.enqueue('job-1');
    const second = await bench.enqueue('job-2');
    await bench.redis.del(first.active);
    await bench.redis.rPush(first.active, 'a list');
    await bench.redis.rPush(first.cancel, 'a list');
    await bench.redis.set(second.mailbox, 'a text');
    const worker = await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(200);
    await eventually(() => worker.observer.ended.length === 2);
    expect(await bench.redis.get(second.mailbox)).toBe('a text');
    expect(await bench.kept()).toEqual(NOTHING_KEPT);
  });
});

describe('the async worker, a request that is cancelled', () => {
  it('is not begun', async () => {
    const bench = await start();
    const keys = await bench.enqueue('job-1');
    await bench.cancel(keys);
    const worker = await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(499);
    expect(bench.upstream.requests).toEqual([]);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.ended[0]?.end).toEqual({ outcome: 'cancelled' });
    expect(await bench.redis.exists([keys.active, keys.cancel])).toBe(0);
  });

  it('is broken off within a third of the lease', async () => {
    const bench = await start(() => undefined);
    const worker = await bench.worker();
    const keys = await bench.enqueue('job-1', { payload: payloadOf(SECRET) });
    await bench.upstream.received(1);
    await bench.cancel(keys);
    expect(await bench.upstream.requests[0]?.aborted).toBe(true);
    expect((await bench.answered('job-1')).status).toBe(499);
    await eventually(() => worker.observer.ended.length > 0);
    expect(worker.observer.outcomes).toEqual(['cancelled']);
  });

  it('is served when the wish is that of an earlier submission', async () => {
    const bench = await start();
    const keys = await bench.enqueue('job-1');
    await bench.redis.set(keys.cancel, 'earlier-token');
    await bench.worker();
    expect((await bench.answered('job-1')).status).toBe(200);
    expect(await bench.redis.get(keys.cancel)).toBe('earlier-token');
  });

  it('goes back to its queue when its client wants it again before that is written', async () => {
    const bench = await start();
    const keys = await bench.enqueue('job-1');
    const { messages } = await bench
      .queue()
      .take({ holder: 'h', lease: 60_000, count: 1, bytes: 1e9, firstBytes: 1e9 });
    const [message] = messages;
    if (message === undefined) throw new Error('nothing was taken');
    const ending = { keys, token: message.receipt, result: Buffer.from('{}'), ttl: 60 };
    expect(await bench.queue().finishCancelled(message, ending)).toBe('wanted');
    await bench.cancel(keys);
    expect(await bench.queue().finishCancelled(message, ending)).toBe('done');
  });
});
