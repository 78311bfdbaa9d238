import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ClientClosedError, UpstreamConnectionError, UpstreamTimeoutError } from '#foundation';
import { rawJson } from '#json';
import type { ClientResponse, KvHandoff, PipelineRequest } from '#pipeline';
import { FakeUpstream, aRequest, json } from '#testing';
import { DecodeStep, decodeParams } from './decode.step.ts';
import { StepsBench, bytesOf } from './steps.fixture.ts';

const HANDOFF: KvHandoff = {
  params: rawJson('{"remote_engine_id": "e", "do_remote_prefill": false, "n": 9223372036854775807}'),
  result: 'complete',
  connector: 'kv-nixl',
  receivedAt: 0,
};

let gateway: FakeUpstream;
let bench: StepsBench | undefined;

beforeEach(async () => {
  gateway = await FakeUpstream.start((_, response) => {
    json(response, '{"id":"1"}');
  });
});

afterEach(async () => {
  await bench?.close();
  await gateway.close();
});

async function decode(
  request: PipelineRequest,
  params: object = {},
  gatewayOptions: object = {},
): Promise<ClientResponse> {
  bench = await StepsBench.start(gateway.url, { gateway: gatewayOptions });
  const outcome = await bench.get(DecodeStep).execute(request, decodeParams.parse(params));
  if (outcome.kind !== 'respond') throw new Error('decode answers the client');
  return outcome.response;
}

const sent = (): string | undefined => gateway.requests[0]?.body.toString();

describe('DecodeStep', () => {
  it.each(['chat', 'completions', 'responses', 'generate'] as const)(
    "posts %s on the client's path",
    async (format) => {
      const request = aRequest({ format, scope: { id: 'req-9', headers: ['authorization', 'Bearer k'] } });
      await decode(request);
      expect(gateway.requests).toMatchObject([{ method: 'POST', path: request.path }]);
      const { headers } = gateway.requests[0] ?? {};
      expect(headers).toMatchObject({ 'epp-profile': 'decode', 'x-request-id': 'req-9', authorization: 'Bearer k' });
      expect(headers).not.toHaveProperty('prefer');
    },
  );

  it('leaves the body alone when no prefill ran', async () => {
    const body = '{"max_tokens":50,"messages":[],"kv_transfer_params":{"of":"the client"}}';
    await decode(aRequest({ body }));
    expect(sent()).toBe(body);
  });

  it.each([
    ['the deployment', {}, '{"do_remote_decode":false,"do_remote_prefill":true}'],
    [
      'the step',
      { kv_connector: 'kv-nixl' },
      '{"remote_engine_id": "e", "do_remote_prefill": true, "n": 9223372036854775807,"do_remote_decode":false}',
    ],
  ])('hands over as the connector of %s does', async (_, params, kv) => {
    await decode(aRequest({ body: '{"a":1}', findings: { handoff: HANDOFF } }), params);
    expect(sent()).toBe(`{"a":1,"kv_transfer_params":${kv}}`);
  });

  it('sends the flags alone when prefill gave nothing', async () => {
    const handoff: KvHandoff = { params: undefined, result: 'missing', connector: 'kv-nixl', receivedAt: 0 };
    await decode(aRequest({ body: '{}', findings: { handoff } }), { kv_connector: 'kv-nixl' });
    expect(sent()).toBe('{"kv_transfer_params":{"do_remote_decode":false,"do_remote_prefill":true}}');
  });

  it('hands nothing over after a prefill that failed, and never what encode gave', async () => {
    await decode(aRequest({ body: '{"a":1}', findings: { prefillFailed: true, ecParams: rawJson('{"h":1}') } }));
    expect(sent()).toBe('{"a":1}');
  });

  it('sends what earlier answers gave to relay', async () => {
    await decode(aRequest({ findings: { relayedHeaders: { 'x-llm-d-disagg-revision': 'r1' } } }));
    expect(gateway.requests[0]?.headers).toMatchObject({ 'x-llm-d-disagg-revision': 'r1' });
  });

  it.each([200, 204, 302, 400, 412, 429, 500, 503])('hands the answer %d on as it is', async (status) => {
    gateway.handler = (_, response) => {
      response.writeHead(status, { 'x-of': 'the worker' });
      response.end(status === 204 ? undefined : '{"logprob":-Infinity}');
    };
    const response = await decode(aRequest());
    expect(response).toMatchObject({ status, headers: { 'x-of': 'the worker' } });
    expect(await bytesOf(response)).toBe(status === 204 ? '' : '{"logprob":-Infinity}');
  });

  it('gives the head at once, and each part of a stream as it comes', async () => {
    let finish: () => void = () => undefined;
    gateway.handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
      finish = () => response.end('data: [DONE]\n\n');
    };
    const response = await decode(aRequest({ body: '{"stream":true}' }));
    expect(response.status).toBe(200);
    finish();
    expect(await bytesOf(response)).toBe('data: 1\n\ndata: [DONE]\n\n');
  });

  it.each([
    ['a stream', '{"stream":true}', { timeout: '50ms', decode_timeout: '20s' }],
    ['a whole answer', '{"stream":false}', { timeout: '20s', decode_timeout: '50ms' }],
    ['a whole answer, asked for in another way', '{"stream":"true"}', { timeout: '20s', decode_timeout: '50ms' }],
  ])('waits for the head of %s as long as its own limit says', async (_, body, limits) => {
    gateway.handler = () => undefined;
    await expect(decode(aRequest({ body }), {}, limits)).rejects.toThrow(UpstreamTimeoutError);
  });

  it('says that the gateway broke the connection', async () => {
    gateway.handler = (_, response) => {
      response.destroy();
    };
    await expect(decode(aRequest())).rejects.toThrow(UpstreamConnectionError);
  });

  it('leaves off when the client leaves', async () => {
    gateway.handler = () => undefined;
    const client = new AbortController();
    const decoding = decode(aRequest({ scope: { signal: client.signal } }));
    await gateway.received(1);
    client.abort(new ClientClosedError());
    await expect(decoding).rejects.toThrow(ClientClosedError);
    expect(await gateway.requests[0]?.aborted).toBe(true);
  });

  it('has a connector for parameter, and no other', () => {
    expect(decodeParams.safeParse({ kv_connector: 'kv-other' }).success).toBe(false);
    expect(decodeParams.safeParse({ use_openai_format: false }).success).toBe(false);
  });
});
