import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RawUpstream, cleanup, json } from '#testing';
import { answering, deadTarget, parsed, targetOf } from '../disagg.fixture.ts';
import { NixlBench, PARAMS, PREFILLED } from './nixl.fixture.ts';
import type { NixlOptions } from './nixl.fixture.ts';

const later = cleanup();

beforeEach(() => {
  Logger.overrideLogger(false);
});

async function aBench(options?: NixlOptions): Promise<NixlBench> {
  const bench = await NixlBench.start(options);
  later(() => bench.close());
  return bench;
}

const GIVEN: unknown = JSON.parse(PARAMS);

describe('NixlTransfer, a prefill that is refused', () => {
  it.each([
    { status: 400, body: '{"error":{"message":"bad image","type":"BadRequestError","code":400}}' },
    { status: 422, body: 'no' },
    { status: 404, body: '' },
    { status: 500, body: '{"object":"error"}' },
    { status: 302, body: '' },
  ])('is relayed as it came, $status, and decode is not called', async ({ status, body }) => {
    const bench = await aBench({
      settings: { maxRetries: 2 },
      prefill: (_, response) => {
        response.writeHead(status, { 'content-type': 'x/y', 'retry-after-ms': '1500', location: '/x' }).end(body);
      },
    });
    const exchange = bench.exchange({ body: '{"stream":true}' });
    expect(await bench.received(exchange)).toMatchObject({
      status,
      headers: { 'content-type': 'x/y', 'retry-after-ms': '1500' },
      body,
    });
    expect(bench.prefiller.requests).toHaveLength(1);
    expect(bench.engine.requests).toHaveLength(0);
    expect(exchange.watch.ends).toEqual([`prefill: status_${Math.trunc(status / 100)}xx`]);
  });

  it.each([
    ['no JSON', 'oops'],
    ['an array', '[]'],
    ['nothing', ''],
    ['JSON that breaks off', '{"kv_transfer_params":{"a":'],
  ])('is a 400 where 200 has %s behind it', async (_, body) => {
    const bench = await aBench({ prefill: answering(body) });
    const exchange = bench.exchange({});
    const answer = await bench.received(exchange);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ object: 'error', type: 'BadRequestError' });
    expect(bench.engine.requests).toHaveLength(0);
    expect(exchange.watch.ends).toEqual(['prefill: invalid_answer']);
  });

  it.each([
    ['an error', '{"error":{"message":"SECRET"},"kv_transfer_params":{}}'],
    ['no choice', '{"choices":[],"kv_transfer_params":{}}'],
    ['finish_reason error', '{"choices":[{"finish_reason":"error"}],"kv_transfer_params":{}}'],
    ['finish_reason abort', '{"choices":[{"finish_reason":"stop"},{"finish_reason":"abort"}]}'],
  ])('is a 502 that says nothing of the answer, where 200 has %s in it', async (_, body) => {
    const bench = await aBench({ prefill: answering(body) });
    const exchange = bench.exchange({});
    const answer = await bench.received(exchange);
    expect(answer.status).toBe(502);
    expect(answer.body).not.toContain('SECRET');
    expect(bench.engine.requests).toHaveLength(0);
    expect(exchange.watch.ends).toEqual(['prefill: invalid_answer']);
  });
});

describe('NixlTransfer, a prefill that is tried again', () => {
  it.each([502, 503, 504])('is a good one after %i, with one decode', async (status) => {
    let calls = 0;
    const bench = await aBench({
      settings: { maxRetries: 2 },
      prefill: (_, response) => {
        calls++;
        json(response, calls === 1 ? 'later' : PREFILLED, calls === 1 ? status : 200);
      },
    });
    const exchange = bench.exchange({});
    expect((await bench.received(exchange)).status).toBe(200);
    expect(bench.prefiller.requests).toHaveLength(2);
    expect(bench.engine.requests.map((request) => parsed(request)['kv_transfer_params'])).toEqual([GIVEN]);
    expect(exchange.watch.facts.prefillRetries).toBe(1);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: good']);
  });

  it('is not, without retries', async () => {
    const bench = await aBench({ prefill: answering('later', 502) });
    expect(await bench.run({})).toMatchObject({ status: 502, body: 'later' });
    expect(bench.prefiller.requests).toHaveLength(1);
    expect(bench.engine.requests).toHaveLength(0);
  });

  it('is relayed when the retries are used up', async () => {
    const bench = await aBench({ settings: { maxRetries: 2 }, prefill: answering('later', 502) });
    expect(await bench.run({})).toMatchObject({ status: 502, body: 'later' });
    expect(bench.prefiller.requests).toHaveLength(3);
    expect(bench.engine.requests).toHaveLength(0);
  });

  it('is not, after 500', async () => {
    const bench = await aBench({ settings: { maxRetries: 2 }, prefill: answering('no', 500) });
    expect(await bench.run({})).toMatchObject({ status: 500, body: 'no' });
    expect(bench.prefiller.requests).toHaveLength(1);
    expect(bench.engine.requests).toHaveLength(0);
  });

  it('counts a broken connection as 502', async () => {
    const bench = await aBench({ settings: { maxRetries: 1 } });
    const head = 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{';
    const upstream = await RawUpstream.start(async (peer, nth) => {
      await peer.until('}');
      if (nth === 0) peer.send(head).end();
      else peer.send(`HTTP/1.1 200 OK\r\ncontent-length: ${PREFILLED.length}\r\n\r\n${PREFILLED}`);
    });
    later(() => upstream.close());
    const exchange = bench.exchange({});
    expect((await bench.received(exchange, undefined, targetOf(upstream))).status).toBe(200);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: good']);
  });

  it('is a 502 where nobody listens, however often it is tried', async () => {
    const bench = await aBench({ settings: { maxRetries: 2 } });
    const exchange = bench.exchange({});
    expect((await bench.received(exchange, undefined, await deadTarget())).status).toBe(502);
    expect(exchange.watch.facts.prefillRetries).toBe(2);
    expect(exchange.watch.ends).toEqual(['prefill: refused']);
    expect(bench.engine.requests).toHaveLength(0);
  });

  it('is not once the client has left, which ends the wait', async () => {
    const bench = await aBench({
      settings: { maxRetries: 5, retryBackoff: 3_600_000 },
      prefill: answering('later', 503),
    });
    const exchange = bench.exchange({});
    const answer = bench.received(exchange);
    while (exchange.watch.facts.prefillRetries === undefined) await new Promise(setImmediate);
    exchange.leave();
    expect((await answer).status).toBe(499);
    expect(exchange.watch.ends).toEqual(['prefill: client_closed']);
    expect(bench.prefiller.requests).toHaveLength(1);
  });
});

describe('NixlTransfer, a client that leaves', () => {
  it('gives a prefill up that is under way, and nothing is decoded', async () => {
    const bench = await aBench({ prefill: () => undefined });
    const exchange = bench.exchange({});
    const answer = bench.received(exchange);
    await bench.prefiller.received(1);
    exchange.leave();
    expect((await answer).status).toBe(499);
    expect(await bench.prefiller.requests[0]?.aborted).toBe(true);
    expect(exchange.watch.ends).toEqual(['prefill: client_closed']);
    expect(bench.engine.requests).toHaveLength(0);
  });

  it('gives a decode up that is under way', async () => {
    const bench = await aBench({ engine: () => undefined });
    const exchange = bench.exchange({});
    const answer = bench.received(exchange);
    await bench.engine.received(1);
    exchange.leave();
    expect((await answer).status).toBe(499);
    expect(await bench.engine.requests[0]?.aborted).toBe(true);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: client_closed']);
  });
});
