import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ClientClosedError,
  DrainingError,
  UpstreamAnswerError,
  UpstreamConnectionError,
  UpstreamError,
  UpstreamTimeoutError,
} from '#foundation';
import { rawJson } from '#json';
import type { PipelineRequest, StepFindings } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import type { Handler } from '#testing';
import { PrefillStep, prefillParams } from './prefill.step.ts';
import { StepsBench, rendered } from './steps.fixture.ts';

let gateway: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  gateway = await FakeUpstream.start((_, response) => {
    json(response, '{"kv_transfer_params": {"a": 1}}');
  });
  bench = await StepsBench.start(gateway.url, { gateway: { timeout: '1s' } });
});

afterEach(async () => {
  await bench.close();
  await gateway.close();
});

async function prefill(
  request: PipelineRequest,
  params: object = {},
  answer?: Handler,
): Promise<StepFindings | undefined> {
  if (answer !== undefined) gateway.handler = answer;
  const outcome = await bench.get(PrefillStep).execute(request, prefillParams.parse(params));
  if (outcome.kind !== 'next') throw new Error('prefill never answers');
  return outcome.findings;
}

const answering =
  (status: number, body = '{}'): Handler =>
  (_, response) => {
    json(response, body, status);
  };
const breakOff: Handler = (_, response) => {
  response.destroy();
};
const hang: Handler = () => undefined;

describe('PrefillStep', () => {
  it.each([
    ['chat', {}, '/v1/chat/completions'],
    ['chat', { use_openai_format: false }, '/inference/v1/generate'],
    ['responses', {}, '/v1/responses'],
    ['responses', { use_openai_format: false }, '/inference/v1/generate'],
    ['completions', { use_openai_format: false }, '/v1/completions'],
    ['generate', {}, '/inference/v1/generate'],
  ] as const)('posts %s under %j to %s', async (format, params, path) => {
    const scope = { id: 'req-9', headers: ['x-a', '1'] };
    const request = await rendered(
      aRequest({ format, scope, findings: { relayedHeaders: { 'x-r': '2' } } }),
      '{"token_ids":[9]}',
    );
    await prefill(request, params);
    expect(gateway.requests).toMatchObject([{ method: 'POST', path }]);
    expect(gateway.requests[0]?.headers).toMatchObject({
      'epp-profile': 'prefill',
      'x-request-id': 'req-9',
      'x-a': '1',
      'x-r': '2',
    });
    expect(gateway.requests[0]?.headers).not.toHaveProperty('prefer');
  });

  it('asks as its own connector does, and sends what encode gave', async () => {
    const request = aRequest({
      body: '{"max_tokens":1,"stream":false}',
      findings: { ecParams: rawJson('{"h":{"p":1}}') },
    });
    await prefill(request, { kv_connector: 'kv-nixl' });
    expect(gateway.requests[0]?.body.toString()).toBe(
      '{"max_tokens":1,"stream":false,"kv_transfer_params":{"do_remote_decode":true,"do_remote_prefill":false,' +
        '"remote_engine_id":null,"remote_block_ids":null,"remote_host":null,"remote_port":null},"ec_transfer_params":{"h":{"p":1}}}',
    );
  });

  it('finds headers to relay in the answer', async () => {
    const found = await prefill(aRequest(), {}, (_, response) => {
      json(response.setHeader('x-llm-d-disagg-revision', 'r1'), '{}');
    });
    expect(found?.relayedHeaders).toEqual({ 'x-llm-d-disagg-revision': 'r1' });
  });

  describe.each([
    { name: 'a break of the connection', answer: breakOff, error: UpstreamConnectionError, status: 502 },
    { name: 'silence', answer: hang, error: UpstreamTimeoutError, status: 504 },
    { name: '500', answer: answering(500), error: UpstreamError, status: 502 },
    { name: '502', answer: answering(502), error: UpstreamError, status: 502 },
    { name: '503', answer: answering(503), error: UpstreamError, status: 503 },
    { name: '504', answer: answering(504), error: UpstreamError, status: 504 },
    {
      name: '200 with an error',
      answer: answering(200, '{"error":{"message":"x"}}'),
      error: UpstreamAnswerError,
      status: 502,
    },
    {
      name: '200 with an event stream',
      answer: answering(200, 'data: {}\n\n'),
      error: UpstreamAnswerError,
      status: 502,
    },
    { name: '200 with NaN', answer: answering(200, '{"logprob":NaN}'), error: UpstreamAnswerError, status: 502 },
    { name: '200 with a list', answer: answering(200, '[]'), error: UpstreamAnswerError, status: 502 },
    {
      name: '200 with half an object',
      answer: answering(200, '{"kv_transfer_params":{'),
      error: UpstreamAnswerError,
      status: 502,
    },
  ])('after $name', ({ answer, error, status }) => {
    it(`fails with ${status} and its own name`, async () => {
      const failure = await prefill(aRequest(), {}, answer).catch((thrown: unknown) => thrown);
      expect(failure).toBeInstanceOf(error);
      expect(failure).toMatchObject({ step: 'prefill', status });
    });

    it('lets decode compute the prompt with on_failure: decode', async () => {
      expect(await prefill(aRequest(), { on_failure: 'decode' }, answer)).toEqual({ prefillFailed: true });
    });
  });

  it.each([400, 404, 408, 422, 429])('fails with the %d of prefill, whatever on_failure says', async (status) => {
    for (const on_failure of ['fail', 'decode']) {
      await expect(prefill(aRequest(), { on_failure }, answering(status))).rejects.toMatchObject({
        status,
        step: 'prefill',
      });
    }
  });

  it('fails for a fault of the pipeline, whatever on_failure says', async () => {
    const params = { on_failure: 'decode', use_openai_format: false };
    await expect(prefill(aRequest(), params)).rejects.toMatchObject({ code: 'internal' });
    expect(gateway.requests).toEqual([]);
  });

  it.each([new ClientClosedError(), new DrainingError()])(
    'gives up with the request, whatever on_failure says: %s',
    async (reason) => {
      const client = new AbortController();
      const filling = prefill(aRequest({ scope: { signal: client.signal } }), { on_failure: 'decode' }, hang);
      await gateway.received(1);
      client.abort(reason);
      await expect(filling).rejects.toBe(reason);
      expect(await gateway.requests[0]?.aborted).toBe(true);
    },
  );

  it.each([
    { on_failure: 'ignore' },
    { kv_connector: 'kv-other' },
    { ec_connector: 'kv-nixl' },
    { use_openai_format: 'false' },
    { max_parallel: 2 },
  ])('does not take the parameters %j', (params) => {
    expect(prefillParams.safeParse(params).success).toBe(false);
  });
});
