import { describe, expect, it } from '@jest/globals';
import { joinRope, rawJson } from '#json';
import type { PipelineRequest } from '#pipeline';
import { aRequest } from '#testing';
import { rendered } from '../steps.fixture.ts';
import { decodeBody, probeBody } from './decode-body.ts';
import type { DecodeParts } from './decode-body.ts';

const KV = '"kv_transfer_params":{"k":1}';
const FEATURES =
  '"features":{"mm_hashes":{"image": ["aa\\u0061", "bbbb"]},"mm_placeholders":{"image": [{"offset": 1, "length": 1}, {"offset": 2, "length": 1}]}';
const TEXT = '{"token_ids": [9, 14]}';
const IMAGES = `{"token_ids": [9, 5, 6], ${FEATURES},"kwargs_data":{"image": ["AA==", null]}}}`;

function body(request: PipelineRequest, parts: Partial<DecodeParts> = {}): string {
  return joinRope(
    decodeBody(request, { kv: rawJson('{"k":1}'), sendsTokens: true, nested: true, ...parts }),
  ).toString();
}

const probe = (request: PipelineRequest, sendsTokens = true): string =>
  joinRope(probeBody(request, sendsTokens)).toString();
const image = (more = ''): string => `{"type":"image_url","image_url":{"url":"data:,A"}${more}}`;
const chatOf = (...parts: readonly string[]): string => `{"messages":[{"content":[${parts.join(',')}]}]}`;

describe('decodeBody', () => {
  it("is the client's body with tokens and hand-over behind it, and no cap", async () => {
    const chat =
      '{ "stream":true, "max_tokens":50,"min_tokens":5, "stream_options":{"include_usage":true},"messages":[] }';
    expect(body(await rendered(aRequest({ body: chat }), TEXT))).toBe(
      `${chat.slice(0, -2)},"tokens":{"token_ids":[9, 14]},${KV} }`,
    );
  });

  it('is what came when nothing was found out', () => {
    const chat =
      '{"b":1.0,"a":9007199254740993,"b":2,"messages":[],"kv_transfer_params":{"of":"the client"},"tokens":1}';
    expect(body(aRequest({ body: chat }), { kv: undefined })).toBe(chat);
  });

  it('has one hand-over, however often the client wrote one', () => {
    expect(body(aRequest({ body: '{"kv_transfer_params":1,"a":2,"kv_transfer_params":3}' }))).toBe(`{"a":2,${KV}}`);
  });

  it.each([
    ['responses', '{"input":"hi"}'],
    ['completions', '{"prompt":"hi"}'],
  ] as const)('has the hand-over of %s at the top, and no tokens', async (format, text) => {
    expect(body(await rendered(aRequest({ format, body: text }), TEXT))).toBe(`${text.slice(0, -1)},${KV}}`);
  });

  it('has further members behind what is there, in place of those of the client', () => {
    const members = { room: rawJson('5975098084415727586'), rank: undefined };
    expect(body(aRequest({ body: '{"rank":1,"a":1.0,"rank":2}' }), { kv: undefined, members })).toBe(
      '{"a":1.0,"room":5975098084415727586}',
    );
  });

  describe('names the media', () => {
    it('by the hash of each, beside its type', async () => {
      const text = '{"type":"text","text":"image_url"}';
      const request = aRequest({ body: chatOf(text, image(), text, image(',"detail":"low"')) });
      expect(body(await rendered(request, IMAGES), { kv: undefined, sendsTokens: false })).toBe(
        chatOf(text, image(String.raw`,"uuid":"aa\u0061"`), text, image(',"detail":"low","uuid":"bbbb"')),
      );
    });

    it.each([
      ['in the place of the one it has', '{"uuid":"x","type":"image_url"}', '{"uuid":"bbbb","type":"image_url"}'],
      ['once', '{"uuid":1,"type":"image_url","uuid":null}', '{"type":"image_url","uuid":"bbbb"}'],
      [
        'under an escaped key',
        String.raw`{"type":"image_url","uu\u0069d":"x"}`,
        String.raw`{"type":"image_url","uu\u0069d":"bbbb"}`,
      ],
      [
        'among white space',
        '{ "type" : "image_url" , "x" : {"uuid":1} }',
        '{ "type" : "image_url" , "x" : {"uuid":1} ,"uuid":"bbbb"}',
      ],
    ])('%s', async (_, part, expected) => {
      const request = await rendered(aRequest({ body: chatOf(image(), part) }), IMAGES);
      expect(body(request, { kv: undefined, sendsTokens: false })).toBe(
        chatOf(image(String.raw`,"uuid":"aa\u0061"`), expected),
      );
    });

    it('beside a URL that was replaced', async () => {
      const part = '{"type":"input_image","image_url":"http://a/1.png"}';
      const text = `{"input":[{"content":[${part}]}]}`;
      const answer =
        '{"token_ids":[9],"features":{"mm_hashes":{"image":["h"]},"mm_placeholders":{"image":[{"offset":0,"length":1}]}}}';
      const request = await rendered(aRequest({ format: 'responses', body: text }), answer);
      const url = request.mediaParts?.[0]?.value.member('image_url');
      if (url === undefined) throw new Error('the part has a URL');
      const inlined = request.body.splice([{ start: url.start, end: url.end, insert: rawJson('"data:,A"') }]);
      expect(body({ ...request, body: inlined }, { kv: undefined })).toBe(
        '{"input":[{"content":[{"type":"input_image","image_url":"data:,A","uuid":"h"}]}]}',
      );
    });

    it('as far as there are entries for them', async () => {
      const request = await rendered(aRequest({ body: chatOf(image(), image(), image()) }), IMAGES);
      expect(body(request, { kv: undefined, sendsTokens: false })).toContain(`"uuid":"bbbb"},${image()}]`);
    });
  });

  describe('of generate', () => {
    const NESTED = `"extra_args":{${KV}}`;

    it.each([
      ['no sampling_params', '{"token_ids":[1]}', `{"token_ids":[1],"sampling_params":{${NESTED}}}`],
      ['null', '{"sampling_params":null}', `{"sampling_params":{${NESTED}}}`],
      ['an empty object', '{"sampling_params":{},"x":1}', `{"sampling_params":{${NESTED}},"x":1}`],
      [
        'parameters',
        '{"sampling_params":{"top_p":0.90,"max_tokens":9}}',
        `{"sampling_params":{"top_p":0.90,"max_tokens":9,${NESTED}}}`,
      ],
      ['extra_args null', '{"sampling_params":{"extra_args":null,"n":1}}', `{"sampling_params":{${NESTED},"n":1}}`],
      [
        'extra_args',
        '{"sampling_params":{"extra_args":{"x": 1.0},"n":1}}',
        `{"sampling_params":{"extra_args":{"x": 1.0,${KV}},"n":1}}`,
      ],
      [
        'a hand-over of its own',
        `{"sampling_params":{"extra_args":{"kv_transfer_params":{"of":"c"},"x":1}}}`,
        `{"sampling_params":{"extra_args":{${KV},"x":1}}}`,
      ],
      [
        'repeated keys',
        '{"sampling_params":{"n":1},"sampling_params":{"extra_args":{"a":1},"n":2,"extra_args":{"b":1}}}',
        `{"sampling_params":{"n":2,"extra_args":{"b":1,${KV}}}}`,
      ],
    ])('merges into a body with %s', (_, text, expected) => {
      expect(body(aRequest({ format: 'generate', body: text }))).toBe(expected);
    });

    it('has the hand-over at the top where the deployment wants it', () => {
      const request = aRequest({ format: 'generate', body: '{"sampling_params":{"extra_args":{"x":1}}}' });
      expect(body(request, { nested: false })).toBe(`{"sampling_params":{"extra_args":{"x":1}},${KV}}`);
    });

    it('keeps its own ids and features', async () => {
      const text = '{"token_ids":[ 1 ],"features":{"x":1}}';
      expect(body(await rendered(aRequest({ format: 'generate', body: text }), TEXT), { kv: undefined })).toBe(text);
    });
  });
});

describe('probeBody', () => {
  it('is the chat body with tokens, without hand-over or names', async () => {
    const text = `{"stream":true,"max_tokens":9,${chatOf(image(), image()).slice(1)}`;
    expect(probe(await rendered(aRequest({ body: text }), IMAGES))).toBe(
      `${text.slice(0, -1)},"tokens":{"token_ids":[9, 5, 6],${FEATURES}}}}`,
    );
  });

  it.each(['responses', 'completions', 'generate'] as const)('is the %s body as it is', async (format) => {
    const request = await rendered(aRequest({ format }), TEXT);
    expect(probe(request)).toBe(joinRope(request.body.toRope()).toString());
  });

  it('has no tokens where they are not sent', async () => {
    expect(probe(await rendered(aRequest({ body: '{"a":1}' }), TEXT), false)).toBe('{"a":1}');
  });
});
