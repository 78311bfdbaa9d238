import { afterEach, describe, expect, it } from '@jest/globals';
import type { StepInterceptor } from '#pipeline';
import { aRequest, json } from '#testing';
import { PipelineBench, answering, missOr, phaseOf } from './pipeline.fixture.ts';

const IMAGE = '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}';
const WITH_IMAGE = `{"model":"m","messages":[{"role":"user","content":[${IMAGE}]}]}`;
const RENDERED =
  '{"token_ids":[9,5],"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":1,"length":1}]}}}';

let bench: PipelineBench | undefined;

afterEach(async () => {
  await bench?.close();
});

const KV = ['kv-nixl', 'kv-shared-storage', 'kv-sglang'];
const EC = ['ec-nixl', 'ec-shared-storage'];

describe('the pipeline', () => {
  it.each(KV.flatMap((kv) => EC.map((ec) => [kv, ec])))(
    'drives an image through every phase with %s and %s',
    async (kv, ec) => {
      bench = await PipelineBench.start({ pipeline: { kv_connector: kv, ec_connector: ec } });
      bench.render.handler = answering(RENDERED);
      bench.gateway.handler = missOr('{"id":"answer"}', {
        encode: '{"ec_transfer_params":{"a":{"p":1}}}',
        prefill: '{"kv_transfer_params":{"k":1}}',
      });
      expect(await bench.run(aRequest({ body: WITH_IMAGE }))).toEqual({ status: 200, body: '{"id":"answer"}' });
      expect(bench.phases).toEqual(['probe', 'encode', 'prefill', 'decode']);
      expect(bench.bodies('prefill')[0]?.includes('"ec_transfer_params":{"a":{"p":1}}')).toBe(ec === 'ec-nixl');
      expect(bench.bodies('decode')[0]?.includes('"k":1')).toBe(kv !== 'kv-shared-storage');
    },
  );

  it('encodes nothing for a prompt of text', async () => {
    bench = await PipelineBench.start();
    await bench.run(aRequest());
    expect(bench.phases).toEqual(['probe', 'prefill', 'decode']);
  });

  it('ends with the probe that is served', async () => {
    bench = await PipelineBench.start();
    bench.gateway.handler = missOr('', { probe: '{"id": "hit",  "choices": []}' });
    expect(await bench.run(aRequest())).toEqual({ status: 200, body: '{"id": "hit",  "choices": []}' });
    expect(bench.phases).toEqual(['probe']);
  });

  it.each([
    [['decode'], '{"a":1}'],
    [['render', 'decode'], '{"a":1,"tokens":{"token_ids":[9,14,6,3]}}'],
    [['prefill', 'decode'], '{"a":1,"kv_transfer_params":{"do_remote_decode":false,"do_remote_prefill":true}}'],
  ])('of the steps %j decodes %s', async (steps, body) => {
    bench = await PipelineBench.start({ steps });
    await bench.run(aRequest({ body: '{"a":1}' }));
    expect(bench.bodies('decode')).toEqual([body]);
  });

  it('leaves tokens out everywhere with send_tokens_field: false', async () => {
    bench = await PipelineBench.start({ pipeline: { send_tokens_field: false } });
    bench.render.handler = answering(RENDERED);
    await bench.run(aRequest({ body: WITH_IMAGE }));
    expect(bench.gateway.requests.map(({ body }) => body.includes('"tokens"'))).toEqual([false, false, false, false]);
  });

  it('puts transfer parameters of generate at the top with generate_transfer_params: top_level', async () => {
    bench = await PipelineBench.start({
      pipeline: { generate_transfer_params: 'top_level', use_openai_format: false },
    });
    await bench.run(aRequest({ format: 'generate', body: '{"token_ids":[1],"sampling_params":{"n":1}}' }));
    expect(bench.bodies('prefill')[0]).toContain(
      '"sampling_params":{"max_tokens":1},"stream":false,"kv_transfer_params":{',
    );
    expect(bench.bodies('decode')[0]).toMatch(
      /^\{"token_ids":\[1\],"sampling_params":\{"n":1\},"kv_transfer_params":\{/,
    );
  });

  it('lets a step choose its own format and connector', async () => {
    const params = { prefill: { use_openai_format: false, kv_connector: 'kv-nixl' } };
    bench = await PipelineBench.start({ steps: ['render', 'prefill', 'decode'], params });
    await bench.run(aRequest());
    expect(bench.gateway.requests.map(({ path }) => path)).toEqual(['/inference/v1/generate', '/v1/chat/completions']);
    expect(bench.bodies('prefill')[0]).toContain('"remote_engine_id":null');
  });

  it('carries a relayed header from each phase to the later ones, and one revision id to all', async () => {
    bench = await PipelineBench.start({ pipeline: { forward_response_headers: ['x-peer-topology'] } });
    bench.render.handler = (_, response) => {
      json(response.setHeader('X-Peer-Topology', 'of render'), RENDERED);
    };
    bench.gateway.handler = (request, response) => {
      if (phaseOf(request) === 'prefill') response.setHeader('x-peer-topology', 'of prefill');
      return missOr('{}')(request, response);
    };
    await bench.run(aRequest({ body: WITH_IMAGE, scope: { revisionId: 'rev-1' } }));
    expect(bench.gateway.requests.map((call) => `${phaseOf(call)} ${String(call.headers['x-peer-topology'])}`)).toEqual(
      [...['probe of render', 'encode of render', 'prefill of render', 'decode of prefill']],
    );
    const revisions = [...bench.render.requests, ...bench.gateway.requests].map(
      ({ headers }) => headers['x-llm-d-revision-decision-id'],
    );
    expect(revisions).toEqual(new Array(5).fill('rev-1'));
  });

  it('is seen step by step from outside', async () => {
    const seen: string[] = [];
    const looks: StepInterceptor = {
      intercept: async ({ step }, next) => {
        const outcome = await next();
        seen.push(`${step} ${outcome.kind}`);
        return outcome;
      },
    };
    bench = await PipelineBench.start({ interceptors: { step: [looks] } });
    await bench.run(aRequest());
    expect(seen).toEqual([
      ...['replace-media-urls next', 'render next', 'conditional-decode next', 'encode next', 'prefill next'],
      'decode respond',
    ]);
  });
});
