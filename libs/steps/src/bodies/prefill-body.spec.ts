import { describe, expect, it } from '@jest/globals';
import { JsonObject, joinRope, rawJson } from '#json';
import type { PipelineRequest } from '#pipeline';
import type { RequestFormat } from '#protocol';
import { aRequest } from '#testing';
import { rendered } from '../steps.fixture.ts';
import { prefillBody } from './prefill-body.ts';
import type { PrefillParts } from './prefill-body.ts';

const KV = '"kv_transfer_params":{"k":1}';
const EC = '"ec_transfer_params":{"aaaa":{"e":2}}';
const WITH_EC = { ec: rawJson('{"aaaa":{"e":2}}') };
const FEATURES =
  '"features":{"mm_hashes":{"image": ["aaaa"]},"mm_placeholders":{"image": [{"offset": 1, "length": 2}]}';
const TEXT = '{"token_ids": [9, 14]}';
const IMAGE = `{"token_ids": [9, 5, 5], ${FEATURES},"kwargs_data":{"image": ["AA=="]}}}`;
const PART = '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}';

function body(request: PipelineRequest, format: RequestFormat, parts: Partial<PrefillParts> = {}): string {
  const all = { kv: rawJson('{"k":1}'), ec: undefined, sendsTokens: true, nested: true, ...parts };
  return joinRope(prefillBody(request, format, all)).toString();
}

describe('prefillBody of chat', () => {
  const request = (text: string): PipelineRequest => aRequest({ body: text });

  it("is the client's body with tokens, cap and transfer parameters behind it", async () => {
    const chat = `{"model":"m","messages":[{"content":[${PART}]}]}`;
    expect(body(await rendered(request(chat), IMAGE), 'chat', WITH_EC)).toBe(
      `${chat.slice(0, -1)},"tokens":{"token_ids":[9, 5, 5],${FEATURES}}},"max_tokens":1,"stream":false,${KV},${EC}}`,
    );
  });

  it('replaces what the client sent in its place, and leaves out what does not go with one token', async () => {
    const chat =
      '{ "stream" : true, "min_tokens":100, "seed":9007199254740993, "max_tokens":500, "max_completion_tokens":500, ' +
      '"stream_options":{"include_usage":true}, "messages":[] }';
    expect(body(await rendered(request(chat), TEXT), 'chat')).toBe(
      '{ "stream" : false, "seed":9007199254740993, "max_tokens":1, "max_completion_tokens":1, ' +
        `"messages":[],"tokens":{"token_ids":[9, 14]},${KV} }`,
    );
  });

  it('carries numbers, order, escapes and repeated keys as they came', () => {
    const chat =
      '{"z":1.0,"a":1E5,"vllm_xargs":{"b":165598928036513123123,"a":0.123000000000000005123,"c":-0,"d":1e400},' +
      String.raw`"messages":[{"role":"user","content":"x \ud83d y é"}],` +
      '"tools":[{"properties":{"zebra":{},"apple":{},"__proto__":{"type":"string"},"zebra":1}}],"__proto__":{"max_tokens":9}}';
    expect(body(request(chat), 'chat')).toBe(`${chat.slice(0, -1)},"max_tokens":1,"stream":false,${KV}}`);
  });

  it('has one of each key that it writes, however the client wrote it', () => {
    const chat = String.raw`{"max_tokens":5,"m":1,"max\u005ftokens":6,"stream":true,"stream":true,"kv_transfer_params":{"x":1}}`;
    expect(body(request(chat), 'chat')).toBe(
      String.raw`{"m":1,"max\u005ftokens":1,"stream":false,"kv_transfer_params":{"k":1}}`,
    );
  });

  it.each([
    ['nothing was rendered', true, false],
    ['tokens are not to be sent', false, true],
  ])('has no tokens when %s', async (_, sendsTokens, isRendered) => {
    const chat = request('{"model":"m"}');
    expect(body(isRendered ? await rendered(chat, TEXT) : chat, 'chat', { sendsTokens })).toBe(
      `{"model":"m","max_tokens":1,"stream":false,${KV}}`,
    );
  });

  it('names no media: that is for decode', async () => {
    const chat = request(`{"messages":[{"content":[${PART}]}]}`);
    expect(body(await rendered(chat, IMAGE), 'chat')).not.toContain('uuid');
  });
});

describe('prefillBody of responses', () => {
  it('is the same without tokens, and stores nothing', async () => {
    const request = aRequest({
      format: 'responses',
      body: '{"model":"m","input":"hi","store":true,"max_output_tokens":9}',
    });
    expect(body(await rendered(request, TEXT), 'responses', WITH_EC)).toBe(
      `{"model":"m","input":"hi","store":false,"max_output_tokens":1,"stream":false,${KV},${EC}}`,
    );
  });
});

describe('prefillBody of completions', () => {
  it('is built anew of id, model and prompt', () => {
    const text = '{"temperature":0.5,"prompt":[9, 14],"model":"m","max_tokens":50,"min_tokens":9,"stream":true}';
    expect(body(aRequest({ format: 'completions', body: text }), 'completions', WITH_EC)).toBe(
      `{"request_id":"req-1","model":"m","prompt":[9, 14],${KV},"max_tokens":1,"stream":false,${EC}}`,
    );
  });

  it('has the prompt as render left it', () => {
    const request = aRequest({ format: 'completions' });
    const changed = { ...request, body: request.body.set('prompt', rawJson('[9,  14]')) };
    expect(body(changed, 'completions')).toContain('"prompt":[9,  14]');
  });

  it('has no model when the client sent none', () => {
    expect(body(aRequest({ format: 'completions', body: '{"prompt":"hi"}' }), 'completions')).toBe(
      `{"request_id":"req-1","prompt":"hi",${KV},"max_tokens":1,"stream":false}`,
    );
  });
});

describe('prefillBody of generate', () => {
  const chat = (): PipelineRequest => aRequest({ body: '{"model":"m","temperature":0.5,"messages":[]}' });

  it('has the transfer parameters within sampling_params.extra_args', async () => {
    expect(body(await rendered(chat(), TEXT), 'generate', WITH_EC)).toBe(
      `{"request_id":"req-1","token_ids":[9, 14],"model":"m","sampling_params":{"max_tokens":1,"extra_args":{${KV},${EC}}},"stream":false}`,
    );
  });

  it('has them at the top where the deployment wants it', async () => {
    expect(body(await rendered(chat(), TEXT), 'generate', { ...WITH_EC, nested: false })).toBe(
      `{"request_id":"req-1","token_ids":[9, 14],"model":"m","sampling_params":{"max_tokens":1},"stream":false,${KV},${EC}}`,
    );
  });

  it('has features with everything the preprocessor made', async () => {
    const request = aRequest({ body: `{"model":"m","messages":[{"content":[${PART}]}]}` });
    expect(body(await rendered(request, IMAGE), 'generate')).toBe(
      `{"request_id":"req-1","token_ids":[9, 5, 5],"model":"m","sampling_params":{"max_tokens":1,"extra_args":{${KV}}},` +
        `"stream":false,${FEATURES},"kwargs_data":{"image": ["AA=="]}}}`,
    );
  });

  it("has a generate client's own ids when no step read them", () => {
    const request = aRequest({ format: 'generate', body: '{"token_ids":[ 1,2 ],"sampling_params":{"top_p":0.9}}' });
    expect(body(request, 'generate')).toBe(
      `{"request_id":"req-1","token_ids":[ 1,2 ],"sampling_params":{"max_tokens":1,"extra_args":{${KV}}},"stream":false}`,
    );
  });

  it('cannot be made without tokens', () => {
    expect(() => body(chat(), 'generate')).toThrow('internal error');
  });

  it('writes any request id as JSON', () => {
    const request = aRequest({ format: 'generate', scope: { id: 'a"b' } });
    expect(JsonObject.of(Buffer.from(body(request, 'generate'))).get('request_id')?.string).toBe('a"b');
  });
});

describe('prefillBody for workers that run at once', () => {
  const PAIRED = { kv: undefined, members: { room: rawJson('5975098084415727586'), rank: undefined } };

  it.each([
    [
      'chat',
      '{"rank":1,"kv_transfer_params":{"of":"c"}}',
      '{"max_tokens":1,"stream":false,"room":5975098084415727586}',
    ],
    ['responses', '{"rank":1}', '{"max_output_tokens":1,"stream":false,"store":false,"room":5975098084415727586}'],
    [
      'completions',
      '{"rank":1,"prompt":"hi"}',
      '{"request_id":"req-1","prompt":"hi","max_tokens":1,"stream":false,"room":5975098084415727586}',
    ],
    [
      'generate',
      '{"rank":1,"token_ids":[1]}',
      '{"request_id":"req-1","token_ids":[1],"sampling_params":{"max_tokens":1},"stream":false,"room":5975098084415727586}',
    ],
  ] as const)('has no transfer parameters in %s, and the members of the pair behind it', (format, text, expected) => {
    expect(body(aRequest({ format, body: text }), format, PAIRED)).toBe(expected);
  });

  it('keeps what encode gave in its place', () => {
    expect(body(aRequest({ format: 'generate' }), 'generate', { ...PAIRED, ...WITH_EC })).toBe(
      `{"request_id":"req-1","token_ids":[1,2,3],"model":"m","sampling_params":{"max_tokens":1,"extra_args":{${EC}}},"stream":false,"room":5975098084415727586}`,
    );
  });
});
