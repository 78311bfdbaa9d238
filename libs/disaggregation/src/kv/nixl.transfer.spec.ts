import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { cleanup } from '#testing';
import { answering, parsed, recordLogs, sentTo } from '../disagg.fixture.ts';
import { NixlBench, PARAMS } from './nixl.fixture.ts';
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

const ASKED = {
  do_remote_decode: true,
  do_remote_prefill: false,
  remote_engine_id: null,
  remote_block_ids: null,
  remote_host: null,
  remote_port: null,
};
const GIVEN: unknown = JSON.parse(PARAMS);
const BODY = '{"model":"m","messages":[{"role":"user","content":"hi"}]';

describe('NixlTransfer', () => {
  it('asks prefill for one token with the six parameters, two true or false and four null, and no stream', async () => {
    const bench = await aBench();
    await bench.run({ body: `${BODY},"max_tokens":50,"stream":true,"stream_options":{"include_usage":true}}` });
    expect(sentTo(bench.prefiller)).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 1,
      max_completion_tokens: 1,
      min_tokens: 1,
      stream: false,
      kv_transfer_params: ASKED,
    });
    expect(bench.prefiller.requests).toHaveLength(1);
    expect(bench.engine.requests).toHaveLength(1);
  });

  it('gives decode the request as it came, with the parameters of prefill byte for byte', async () => {
    const bench = await aBench();
    const body = `${BODY},"max_tokens":50,"stream":true,"stream_options":{"include_usage":true}}`;
    const answer = await bench.run({ body });
    expect(bench.engine.requests[0]?.body.toString()).toBe(`${body.slice(0, -1)},"kv_transfer_params":${PARAMS}}`);
    expect(answer).toMatchObject({ status: 200, body: '{"id":"decoded"}' });
  });

  it("replaces the client's kv_transfer_params on both legs", async () => {
    const bench = await aBench();
    await bench.run({ body: `${BODY},"kv_transfer_params":{"remote_host":"10.9.9.9"}}` });
    expect(sentTo(bench.prefiller)['kv_transfer_params']).toEqual(ASKED);
    expect(sentTo(bench.engine)['kv_transfer_params']).toEqual(GIVEN);
  });

  it.each([
    {
      name: 'max_completion_tokens',
      path: '/v1/chat/completions',
      sent: { max_completion_tokens: 100 },
      capped: { max_completion_tokens: 1 },
    },
    { name: 'no limit', path: '/v1/chat/completions', sent: {}, capped: { max_completion_tokens: 1 } },
    {
      name: 'max_tokens and min_tokens',
      path: '/v1/completions',
      sent: { max_tokens: 100, min_tokens: 5 },
      capped: { max_tokens: 1, min_tokens: 1 },
    },
    { name: 'neither', path: '/v1/completions', sent: {}, capped: { max_tokens: 1, min_tokens: 1 } },
    { name: 'messages', path: '/v1/messages', sent: { max_tokens: 100 }, capped: { max_tokens: 1, stream: false } },
    {
      name: 'responses, max_output_tokens',
      path: '/v1/responses',
      sent: { max_output_tokens: 100, stream: true },
      capped: { max_output_tokens: 1, stream: false },
    },
    { name: 'responses, none', path: '/v1/responses', sent: {}, capped: { max_output_tokens: 1 } },
    {
      name: 'generate',
      path: '/inference/v1/generate',
      sent: { sampling_params: { temperature: 0.5, max_tokens: 100, min_tokens: 5 } },
      capped: { sampling_params: { temperature: 0.5, max_tokens: 1, min_tokens: 1 } },
    },
    {
      name: 'generate, none',
      path: '/inference/v1/generate',
      sent: { sampling_params: { temperature: 0.5 } },
      capped: { sampling_params: { temperature: 0.5, max_tokens: 1, min_tokens: 1 } },
    },
    {
      name: 'generate, no sampling_params',
      path: '/inference/v1/generate',
      sent: {},
      capped: { sampling_params: { max_tokens: 1, min_tokens: 1 } },
    },
  ])('caps prefill by the API, and gives decode what the client sent: $path, $name', async ({ path, sent, capped }) => {
    const bench = await aBench();
    await bench.run({ path, body: JSON.stringify({ model: 'm', ...sent }) });
    expect(sentTo(bench.prefiller)).toMatchObject(capped);
    expect(sentTo(bench.engine)).toEqual({ model: 'm', ...sent, kv_transfer_params: GIVEN });
    expect(bench.prefiller.requests[0]?.path).toBe(path);
  });

  it('sends one x-request-id on both legs, that of the request, and no header of ranks', async () => {
    const bench = await aBench();
    await bench.run({ headers: ['x-request-id', 'another', 'authorization', 'Bearer k'] });
    for (const { headers } of [...bench.prefiller.requests, ...bench.engine.requests]) {
      expect(headers).toMatchObject({ 'x-request-id': 'req-1', authorization: 'Bearer k' });
      expect(headers).not.toHaveProperty('x-data-parallel-rank');
    }
  });

  it('gives prefill a rank where there are several, and decode none: it reads the blocks', async () => {
    const bench = await aBench({ moriio: { dpSize: 8 } });
    await bench.run({});
    expect(Number(bench.prefiller.requests[0]?.headers['x-data-parallel-rank'])).toBeLessThan(8);
    expect(sentTo(bench.prefiller)['kv_transfer_params']).toEqual(ASKED);
    expect(bench.engine.requests[0]?.headers).not.toHaveProperty('x-data-parallel-rank');
    expect(sentTo(bench.engine)['kv_transfer_params']).toEqual(GIVEN);
  });

  it.each([
    { name: 'absent', params: undefined, reason: 'no_kv_params' },
    { name: 'null', params: 'null', reason: 'no_kv_params' },
    { name: 'a string', params: '"e1"', reason: 'kv_params_not_object' },
    { name: 'a list', params: '[1]', reason: 'kv_params_not_object' },
  ])('gives decode null where the parameters are $name, and says so', async ({ params, reason }) => {
    const logs = recordLogs();
    const answer = params === undefined ? '{}' : `{"kv_transfer_params":${params}}`;
    const bench = await aBench({ prefill: answering(answer) });
    const exchange = bench.exchange({});
    await bench.received(exchange);
    expect(sentTo(bench.engine)).toEqual({ kv_transfer_params: null });
    expect(exchange.watch.facts).toMatchObject({ reason });
    expect(logs).toContainEqual({
      level: 'log',
      fields: { 'x-request-id': 'req-1', reason },
      message: 'prefill gave no kv_transfer_params; decode computes the prompt',
    });
  });

  it.each(['{}', '{"remote_block_ids":[]}', '{"remote_block_ids":null}'])(
    'gives decode an object of prefill as it is: %s',
    async (params) => {
      const bench = await aBench({ prefill: answering(`{"kv_transfer_params":${params}}`) });
      await bench.run({});
      expect(bench.engine.requests[0]?.body.toString()).toBe(`{"kv_transfer_params":${params}}`);
    },
  );

  it("puts prefill's count of cached tokens into the usage of the answer", async () => {
    const usage = '"usage":{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":7}}';
    const bench = await aBench({
      prefill: answering(`{"kv_transfer_params":{},${usage}}`),
      engine: answering('{"usage":{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":49}}}'),
    });
    const exchange = bench.exchange({});
    expect((await bench.received(exchange)).body).toBe(
      '{"usage":{"prompt_tokens":50,"prompt_tokens_details":{"cached_tokens":7}}}',
    );
    expect(exchange.watch.facts.cachedTokens).toBe(7);
  });

  it('watches one stage of prefill and one of decode', async () => {
    const bench = await aBench();
    const exchange = bench.exchange({});
    await bench.received(exchange);
    expect(exchange.watch.ends).toEqual(['prefill: good', 'decode: good']);
  });
});

describe('NixlTransfer, decode', () => {
  const message = '"choices":[{"message":{"content":"x"},"finish_reason":"length"}]';

  it('is made in chunks where answers are, the first of which gets the blocks', async () => {
    const bench = await aBench({
      chunkSize: 5,
      engine: answering(`{${message},"usage":{"prompt_tokens":9,"completion_tokens":5}}`),
    });
    const answer = await bench.run({ body: `${BODY},"max_tokens":10}` });
    expect(bench.engine.requests.map((request) => parsed(request)['kv_transfer_params'])).toEqual([GIVEN, undefined]);
    expect(JSON.parse(answer.body)).toMatchObject({
      choices: [{ message: { content: 'xx' } }],
      usage: { prompt_tokens: 9, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 0 } },
    });
  });

  it.each([{}, { moriio: { writeMode: true, parallelDispatch: true, podIp: '10.1.0.1' } }])(
    'runs on the rank that the base listener is asked for: %j',
    async (options) => {
      const bench = await aBench({ ...options, rankOne: '{"id":"rank 1"}' });
      const answer = await bench.run({ headers: ['x-data-parallel-host-port', '10.0.0.1:8001'] });
      expect(answer.body).toBe('{"id":"rank 1"}');
      expect(bench.engine.requests).toHaveLength(0);
    },
  );
});

describe('NixlTransfer, a cached prefix', () => {
  const source = '10.9.9.9:8000';

  it('is pulled by prefill where --enable-p2p-pull says so, beside the six parameters', async () => {
    const bench = await aBench({ settings: { pulls: true } });
    expect(bench.transfer.canPull).toBe(true);
    await bench.run({}, source);
    expect(sentTo(bench.prefiller)['kv_transfer_params']).toEqual({
      ...ASKED,
      p2p: { kv_request_id: expect.stringMatching(/^[0-9a-f-]{36}$/), remote_host: '10.9.9.9', remote_port: 7777 },
    });
    expect(sentTo(bench.engine)['kv_transfer_params']).toEqual(GIVEN);
  });

  it('cannot be pulled without the flag', async () => {
    expect((await aBench()).transfer.canPull).toBe(false);
  });
});
