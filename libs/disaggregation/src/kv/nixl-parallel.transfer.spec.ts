import { describe, expect, it } from '@jest/globals';
import { cleanup, json } from '#testing';
import { answering, deadTarget, sentTo } from '../disagg.fixture.ts';
import { NixlBench, PREFILLED } from './nixl.fixture.ts';
import type { NixlOptions } from './nixl.fixture.ts';

const later = cleanup();

const PARALLEL = { writeMode: true, parallelDispatch: true, podIp: '10.1.0.1' };

async function aBench({ moriio, ...options }: NixlOptions = {}): Promise<NixlBench> {
  const bench = await NixlBench.start({ ...options, moriio: { ...PARALLEL, ...moriio } });
  later(() => bench.close());
  return bench;
}

interface Params {
  readonly transfer_id: string;
  readonly remote_dp_rank: number;
}

function paramsOf(upstream: NixlBench['engine']): Params {
  // specs read what the transfer writes
  return sentTo(upstream)['kv_transfer_params'] as Params;
}

/** Both calls have come in, and neither is answered. */
async function bothCalled({ prefiller, engine }: NixlBench): Promise<void> {
  await Promise.all([prefiller.received(1), engine.received(1)]);
}

const MANY = { dpSize: 8 };

describe('NixlParallelTransfer', () => {
  it('tells both legs of each other, roles turned round, with one transfer and one rank', async () => {
    const bench = await aBench({ moriio: MANY });
    await bench.run({});
    const { transfer_id, remote_dp_rank } = paramsOf(bench.prefiller);
    expect(sentTo(bench.engine)['kv_transfer_params']).toEqual({
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_engine_id: '127.0.0.1:6301',
      remote_block_ids: [],
      remote_host: '127.0.0.1',
      remote_port: 6301,
      remote_notify_port: 61_005,
      remote_dp_rank,
      remote_dp_rank_override: true,
      remote_handshake_port: 6301,
      transfer_id,
      tp_size: 1,
      remote_dp_size: 8,
    });
    expect(paramsOf(bench.prefiller)).toMatchObject({ do_remote_decode: true, remote_host: '10.1.0.1' });
    const headers = [bench.prefiller, bench.engine].map(({ requests }) => requests[0]?.headers);
    const expected = { 'x-data-parallel-rank': String(remote_dp_rank), 'x-request-id': 'req-1' };
    expect(headers).toEqual([expect.objectContaining(expected), expect.objectContaining(expected)]);
  });

  it('names the pods of the other side to each leg', async () => {
    const remoteHosts = ['10.2.0.1', '10.2.0.2'];
    const decodeHosts = ['10.1.0.1', '10.1.0.2'];
    const bench = await aBench({ moriio: { dpSize: 16, dpSizeLocal: 8, remoteHosts, decodeHosts } });
    await bench.run({});
    const sizes = { remote_dp_size: 16, remote_dp_size_local: 8 };
    expect(paramsOf(bench.prefiller)).toMatchObject({ ...sizes, remote_hosts: decodeHosts });
    expect(paramsOf(bench.engine)).toMatchObject({ ...sizes, remote_hosts: remoteHosts });
  });

  it('caps every limit of prefill at the top, and gives decode what the client sent', async () => {
    const bench = await aBench();
    await bench.run({ body: '{"max_tokens":100,"min_tokens":5,"stream":true,"stream_options":{}}' });
    const { kv_transfer_params: _given, ...capped } = sentTo(bench.prefiller);
    const one = { max_tokens: 1, max_completion_tokens: 1, max_output_tokens: 1, min_tokens: 1 };
    expect(capped).toEqual({ ...one, stream: false });
    expect(sentTo(bench.engine)).toMatchObject({ max_tokens: 100, min_tokens: 5, stream: true, stream_options: {} });
  });

  it('caps the sampling_params of generate too', async () => {
    const bench = await aBench();
    await bench.run({ path: '/inference/v1/generate', body: '{"sampling_params":{"max_tokens":9,"min_tokens":5}}' });
    expect(sentTo(bench.prefiller)).toMatchObject({ sampling_params: { max_tokens: 1, min_tokens: 1 } });
  });

  it('pulls a cached prefix where --enable-p2p-pull says so', async () => {
    const bench = await aBench({ settings: { pulls: true } });
    expect(bench.transfer.canPull).toBe(true);
    await bench.run({}, '10.9.9.9:8000');
    expect(paramsOf(bench.prefiller)).toMatchObject({
      remote_host: '10.1.0.1',
      p2p: { kv_request_id: expect.any(String), remote_host: '10.9.9.9', remote_port: 7777 },
    });
    expect(paramsOf(bench.engine)).not.toHaveProperty('p2p');
  });

  it('starts both at once, and answers with decode once prefill has ended well', async () => {
    const events = 'data: {"usage":{"prompt_tokens_details":{"cached_tokens":49}}}\n\ndata: [DONE]\n\n';
    const release = Promise.withResolvers<undefined>();
    const bench = await aBench({
      prefill: async (_, response) => {
        await release.promise;
        json(response, PREFILLED);
      },
      engine: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
      },
    });
    const exchange = bench.exchange({ body: '{"stream":true}' });
    let isAnswered = false;
    const answer = bench.received(exchange).finally(() => (isAnswered = true));
    await bothCalled(bench);
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    release.resolve(undefined);
    expect(await answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: events });
    expect(exchange.watch.facts.isConcurrent).toBe(true);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: good']);
  });

  it('answers with the refusal of prefill and nothing of decode, which is given up', async () => {
    const bench = await aBench({
      prefill: async (_, response) => {
        await bench.engine.received(1);
        json(response, 'no prefill', 500);
      },
      engine: (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      },
    });
    const exchange = bench.exchange({});
    expect(await bench.received(exchange)).toMatchObject({ status: 500, body: 'no prefill' });
    expect(await bench.engine.requests[0]?.aborted).toBe(true);
    expect(await exchange.watch.settled()).toEqual(['decode: called_off', 'prefill: status_5xx']);
  });

  it.each([
    ['an error', '{"error":{}}'],
    ['a failed choice', '{"choices":[{"finish_reason":"error"}]}'],
  ])('is a 502 where prefill answers 200 with %s', async (_, body) => {
    const bench = await aBench({ prefill: answering(body), engine: () => undefined });
    const exchange = bench.exchange({});
    expect((await bench.received(exchange)).status).toBe(502);
    expect(await exchange.watch.settled()).toEqual(['decode: called_off', 'prefill: invalid_answer']);
  });

  it('is a 502 where prefill cannot be reached', async () => {
    const bench = await aBench({ engine: () => undefined });
    const exchange = bench.exchange({});
    expect((await bench.received(exchange, undefined, await deadTarget())).status).toBe(502);
    expect(await exchange.watch.settled()).toEqual(['decode: called_off', 'prefill: refused']);
  });

  it('is a 504 where prefill does not end in time, and gives both up', async () => {
    const bench = await aBench({
      moriio: { decodeWaitTimeout: 50 },
      prefill: () => undefined,
      engine: () => undefined,
    });
    const exchange = bench.exchange({});
    const answer = bench.received(exchange);
    expect(await answer).toMatchObject({ status: 504, body: expect.stringContaining('parallel-decode-wait-timeout') });
    expect(await exchange.watch.settled()).toEqual(['decode: called_off', 'prefill: timeout']);
  });

  it('answers with the refusal of decode where prefill ended well', async () => {
    const bench = await aBench({ engine: answering('no decode', 400) });
    const exchange = bench.exchange({});
    expect(await bench.received(exchange)).toMatchObject({ status: 400, body: 'no decode' });
    expect(await exchange.watch.settled()).toEqual(['decode: status_4xx', 'prefill: good']);
  });

  it('tries nothing again', async () => {
    const bench = await aBench({ settings: { maxRetries: 3 }, prefill: answering('later', 503) });
    expect(await bench.run({})).toMatchObject({ status: 503, body: 'later' });
    expect(bench.prefiller.requests).toHaveLength(1);
  });

  it('gives both up when the client leaves', async () => {
    const bench = await aBench({ prefill: () => undefined, engine: () => undefined });
    const exchange = bench.exchange({});
    const answer = bench.received(exchange);
    await bothCalled(bench);
    exchange.leave();
    expect((await answer).status).toBe(499);
    expect(await bench.prefiller.requests[0]?.aborted).toBe(true);
    expect(await bench.engine.requests[0]?.aborted).toBe(true);
    expect(await exchange.watch.settled()).toEqual(['decode: client_closed', 'prefill: client_closed']);
  });
});
