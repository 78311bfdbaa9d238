import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { ClientClosedError, UpstreamAnswerError, UpstreamConnectionError, UpstreamError } from '#foundation';
import { JsonObject, joinRope } from '#json';
import type { PipelineRequest, StepFindings } from '#pipeline';
import type { RequestFormat } from '#protocol';
import { FakeUpstream, aRequest, json } from '#testing';
import type { Handler, RecordedRequest } from '#testing';
import { EncodeStep, encodeParams } from './encode.step.ts';
import { StepsBench, rendered } from './steps.fixture.ts';

let gateway: FakeUpstream;
let bench: StepsBench;

beforeEach(async () => {
  gateway = await FakeUpstream.start((_, response) => {
    json(response, '{}');
  });
  bench = await StepsBench.start(gateway.url);
});

afterEach(async () => {
  await bench.close();
  await gateway.close();
});

/** A request with an image for each hash. */
function withImages(hashes: readonly string[], format: RequestFormat = 'chat'): Promise<PipelineRequest> {
  const part =
    format === 'responses'
      ? { type: 'input_image', image_url: 'data:,A' }
      : { type: 'image_url', image_url: { url: 'data:,A' } };
  const prompt = [{ role: 'user', content: hashes.map(() => part) }];
  const body = JSON.stringify({ model: 'm', [format === 'responses' ? 'input' : 'messages']: prompt });
  const placeholders = hashes.map((_, offset) => ({ offset: offset + 1, length: 1 }));
  const features = { mm_hashes: { image: hashes }, mm_placeholders: { image: placeholders } };
  const ids = Array.from({ length: hashes.length + 1 }, (_, index) => index);
  return rendered(aRequest({ format, body }), JSON.stringify({ token_ids: ids, features }));
}

async function encode(
  request: PipelineRequest,
  params: object = {},
  answer?: Handler,
): Promise<StepFindings | undefined> {
  if (answer !== undefined) gateway.handler = answer;
  const outcome = await bench.get(EncodeStep).execute(request, encodeParams.parse(params));
  if (outcome.kind !== 'next') throw new Error('encode never answers');
  return outcome.findings;
}

/** The hash that a call is about. */
function hashOf({ body }: RecordedRequest): string {
  const tokens = JsonObject.of(body).get('tokens');
  const [hash] = tokens?.member('features')?.member('mm_hashes')?.member('image')?.items() ?? [];
  return hash?.string ?? '';
}

const described: Handler = (request, response) => {
  json(response, { ec_transfer_params: { [hashOf(request)]: { of: hashOf(request) } } });
};

describe('EncodeStep', () => {
  it.each([
    ['chat', {}, '/v1/chat/completions'],
    ['chat', { use_openai_format: false }, '/inference/v1/generate'],
    ['responses', {}, '/v1/responses'],
    ['responses', { use_openai_format: false }, '/inference/v1/generate'],
  ] as const)('posts each image of %s under %j to %s', async (format, params, path) => {
    await encode(await withImages(['a', 'b', 'c'], format), params);
    expect(
      gateway.requests.map(({ method, headers, path: to }) => [
        method,
        headers['epp-profile'],
        headers['x-request-id'],
        to,
      ]),
    ).toEqual(new Array(3).fill(['POST', 'encode', 'req-1', path]));
  });

  it('encodes equal images once', async () => {
    await encode(await withImages(['a', 'b', 'a', 'a', 'c', 'b']), { max_parallel: 1 });
    expect(gateway.requests.map(hashOf)).toEqual(['a', 'b', 'c']);
  });

  it.each(['completions', 'generate'] as const)('has nothing to do for %s', async (format) => {
    const answer =
      '{"token_ids":[1,2],"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":0,"length":1}]}}}';
    expect(await encode(await rendered(aRequest({ format }), answer))).toBeUndefined();
    expect(gateway.requests).toEqual([]);
  });

  it('has nothing to do for a prompt of text', async () => {
    expect(await encode(await rendered(aRequest(), '{"token_ids":[1,2]}'))).toBeUndefined();
    expect(gateway.requests).toEqual([]);
  });

  it.each([
    ['ec-nixl', {}, '{"a":{"of":"a"},"b":{"of":"b"},"c":{"of":"c"}}'],
    ['ec-shared-storage', {}, undefined],
    ['ec-shared-storage', { ec_connector: 'ec-nixl' }, '{"a":{"of":"a"},"b":{"of":"b"},"c":{"of":"c"}}'],
  ])('with %s and %j gives prefill %j', async (ec_connector, params, expected) => {
    await bench.close();
    bench = await StepsBench.start(gateway.url, { pipeline: { ec_connector } });
    const slowFirst: Handler = async (request, response) => {
      if (hashOf(request) === 'a') await delay(20);
      await described(request, response);
    };
    const found = await encode(await withImages(['a', 'b', 'c']), params, slowFirst);
    expect(found?.ecParams && joinRope(found.ecParams).toString()).toBe(expected);
  });

  it('fails when two answers contradict each other', async () => {
    const contrary: Handler = (request, response) => {
      json(response, { ec_transfer_params: { same: { of: hashOf(request) } } });
    };
    await expect(encode(await withImages(['a', 'b']), { ec_connector: 'ec-nixl' }, contrary)).rejects.toThrow(
      UpstreamAnswerError,
    );
  });

  it('relays the header that most answers have', async () => {
    const revisions: Handler = (request, response) => {
      json(response.setHeader('x-llm-d-disagg-revision', hashOf(request) === 'a' ? 'r1' : 'r2'), '{}');
    };
    const found = await encode(await withImages(['a', 'b', 'c']), {}, revisions);
    expect(found?.relayedHeaders).toEqual({ 'x-llm-d-disagg-revision': 'r2' });
  });

  it.each([
    [1, 1],
    [2, 2],
    [3, 3],
    [8, 6],
  ])('with max_parallel: %d has %d of six calls in flight', async (max_parallel, most) => {
    let inFlight = 0;
    let highest = 0;
    await encode(await withImages(['a', 'b', 'c', 'd', 'e', 'f']), { max_parallel }, async (_, response) => {
      highest = Math.max(highest, ++inFlight);
      await gateway.received(most);
      await delay(20);
      inFlight--;
      json(response, '{}');
    });
    expect([highest, gateway.requests.length]).toEqual([most, 6]);
  });

  it.each<[string, new (...args: never[]) => Error, number, Handler]>([
    [
      '500',
      UpstreamError,
      502,
      (_, response) => {
        json(response, '{}', 500);
      },
    ],
    [
      '503',
      UpstreamError,
      503,
      (_, response) => {
        json(response, '{}', 503);
      },
    ],
    [
      '422',
      UpstreamError,
      422,
      (_, response) => {
        json(response, '{}', 422);
      },
    ],
    [
      'a break of the connection',
      UpstreamConnectionError,
      502,
      (_, response) => {
        response.destroy();
      },
    ],
    [
      '200 with an error',
      UpstreamAnswerError,
      502,
      (_, response) => {
        json(response, '{"error":"x"}');
      },
    ],
    [
      '200 with no JSON',
      UpstreamAnswerError,
      502,
      (_, response) => {
        json(response, 'data: {}');
      },
    ],
  ])('names the item that failed with %s, and calls the others back', async (_, error, status, answer) => {
    const encoding = encode(await withImages(['a', 'b', 'c', 'd']), { max_parallel: 3 }, async (request, response) => {
      if (hashOf(request) !== 'b') return;
      await gateway.received(3);
      await answer(request, response);
    }).catch((thrown: unknown) => thrown);
    const failure = await encoding;
    expect(failure).toBeInstanceOf(error);
    expect(failure).toMatchObject({ step: 'encode[1]', status });
    const others = gateway.requests.filter((request) => hashOf(request) !== 'b');
    expect(others.map(hashOf).sort()).toEqual(['a', 'c']);
    expect(await Promise.all(others.map(({ aborted }) => aborted))).toEqual([true, true]);
  });

  it('calls every item back when the client leaves, and begins no other', async () => {
    const client = new AbortController();
    const request = await withImages(['a', 'b', 'c']);
    const scope = { ...request.scope, signal: client.signal };
    const encoding = encode({ ...request, scope }, { max_parallel: 2 }, () => undefined);
    await gateway.received(2);
    client.abort(new ClientClosedError());
    await expect(encoding).rejects.toThrow(ClientClosedError);
    expect(await Promise.all(gateway.requests.map(({ aborted }) => aborted))).toEqual([true, true]);
  });

  it.each([
    { max_parallel: 0 },
    { max_parallel: 1.5 },
    { max_parallel: '8' },
    { ec_connector: 'kv-nixl' },
    { on_failure: 'decode' },
    { kv_connector: 'kv-nixl' },
  ])('does not take the parameters %j', (params) => {
    expect(encodeParams.safeParse(params).success).toBe(false);
  });

  it('has eight calls in flight by default', () => {
    expect(encodeParams.parse({})).toEqual({ max_parallel: 8, on_failure: 'fail' });
  });
});
