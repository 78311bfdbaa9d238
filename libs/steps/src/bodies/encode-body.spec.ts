import { describe, expect, it } from '@jest/globals';
import { joinRope } from '#json';
import type { PipelineRequest } from '#pipeline';
import type { RequestFormat } from '#protocol';
import { aRequest } from '#testing';
import { rendered } from '../steps.fixture.ts';
import { encodeBodies, encodeItems } from './encode-body.ts';

const IMAGE_A = '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"},"uuid":"u"}';
const IMAGE_B = '{"image_url":{"url":"data:image/png;base64,BBBB"},"type":"image_url"}';
const RENDERED =
  '{"token_ids": [9, 77, 77, 77, 55, 55, 6, 3], "features": {"mm_hashes": {"image": ["aaaa", "bbbb"]}, ' +
  '"mm_placeholders": {"image": [{"offset": 1, "length": 3}, {"length": 2, "is_embed": [true], "offset": 4}]}, ' +
  '"kwargs_data": {"image": ["AA==", null]}}}';

const CONTENT = `[{"type":"text","text":"what?"},${IMAGE_A},${IMAGE_B}]`;

function chat(more = '', answer = RENDERED, content = CONTENT): Promise<PipelineRequest> {
  const body = `{"model":"m","messages":[{"role":"user","content":${content}}]${more}}`;
  return rendered(aRequest({ body }), answer);
}

function bodies(request: PipelineRequest, format: RequestFormat, sendsTokens = true): string[] {
  return encodeItems(request).map((item) => joinRope(encodeBodies(request, format, sendsTokens)(item)).toString());
}

const message = (part: string): string => `"messages":[{"role":"user","content":[${part}]}]`;
const TOKENS_A =
  '"tokens":{"token_ids":[9,77,77,77],"features":{"mm_hashes":{"image":["aaaa"]},"mm_placeholders":{"image":[{"offset": 1, "length": 3}]}}}';
const TOKENS_B =
  '"tokens":{"token_ids":[9,55,55],"features":{"mm_hashes":{"image":["bbbb"]},' +
  '"mm_placeholders":{"image":[{"length": 2, "is_embed": [true], "offset": 1}]}}}';

describe('encodeBodies', () => {
  it("has of chat the client's part with all its keys, and the tokens that stand for it", async () => {
    expect(bodies(await chat(), 'chat')).toEqual([
      `{"model":"m",${message(IMAGE_A)},${TOKENS_A},"max_tokens":1,"stream":false}`,
      `{"model":"m",${message(IMAGE_B)},${TOKENS_B},"max_tokens":1,"stream":false}`,
    ]);
  });

  it('has what shapes the preprocessing, and nothing else of the request', async () => {
    const shaping = ',"mm_processor_kwargs":{"max_pixels":1.0},"media_io_kwargs":null,"temperature":1,"min_tokens":5';
    expect(bodies(await chat(shaping), 'chat', false)[0]).toBe(
      `{"model":"m","mm_processor_kwargs":{"max_pixels":1.0},"media_io_kwargs":null,${message(IMAGE_A)},"max_tokens":1,"stream":false}`,
    );
  });

  it('caps max_completion_tokens where the client sent it', async () => {
    expect(bodies(await chat(',"max_completion_tokens":500'), 'chat', false)[1]).toBe(
      `{"model":"m",${message(IMAGE_B)},"max_tokens":1,"max_completion_tokens":1,"stream":false}`,
    );
  });

  it('has of responses an input, no tokens, and nothing to store', async () => {
    const part = '{"type":"input_image","image_url":"data:image/png;base64,AAAA"}';
    const body = `{"model":"m","input":[{"role":"user","content":[${part}]}],"store":true}`;
    const answer =
      '{"token_ids":[9,5],"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":1,"length":1}]}}}';
    expect(bodies(await rendered(aRequest({ format: 'responses', body }), answer), 'responses')).toEqual([
      `{"model":"m","input":[{"role":"user","content":[${part}]}],"max_output_tokens":1,"stream":false,"store":false}`,
    ]);
  });

  it('has of generate what the preprocessor made, null where the worker has it', async () => {
    const rest = '"sampling_params":{"max_tokens":1},"stream":false}';
    expect(bodies(await chat(), 'generate')).toEqual([
      '{"model":"m","token_ids":[9,77,77,77],"features":{"mm_hashes":{"image":["aaaa"]},' +
        `"mm_placeholders":{"image":[{"offset": 1, "length": 3}]},"kwargs_data":{"image":["AA=="]}},${rest}`,
      '{"model":"m","token_ids":[9,55,55],"features":{"mm_hashes":{"image":["bbbb"]},' +
        `"mm_placeholders":{"image":[{"length": 2, "is_embed": [true], "offset": 1}]},"kwargs_data":{"image":[null]}},${rest}`,
    ]);
  });

  it('leaves the model out when the client sent none', async () => {
    const request = await rendered(aRequest({ body: `{"messages":[{"content":${CONTENT}}]}` }), RENDERED);
    expect(bodies(request, 'chat', false)[0]).toBe(`{${message(IMAGE_A)},"max_tokens":1,"stream":false}`);
    expect(bodies(request, 'generate')[0]).toMatch(/^\{"token_ids":/);
  });

  it('has the part with what earlier steps changed in it', async () => {
    const request = await chat();
    const url = request.mediaParts?.[1]?.value.member('image_url')?.member('url');
    if (url === undefined) throw new Error('the second part has a URL');
    const body = request.body.splice([{ start: url.start, end: url.end, insert: [Buffer.from('"data:,new"')] }]);
    expect(bodies({ ...request, body }, 'chat', false)[1]).toContain(
      '[{"image_url":{"url":"data:,new"},"type":"image_url"}]',
    );
  });

  it('cannot be made of an entry that has no part', async () => {
    const request = { ...(await chat()), mediaParts: [] };
    expect(() => bodies(request, 'chat')).toThrow('internal error');
    expect(bodies(request, 'generate')).toHaveLength(2);
  });
});

describe('encodeItems', () => {
  const items = (request: PipelineRequest): string[] =>
    encodeItems(request).map(({ entry, tokenIds }) => `${entry.modality} ${entry.hash} ${tokenIds}`);

  function features(hashes: object, spans: object, ids: string): string {
    return `{"token_ids":${ids},"features":${JSON.stringify({ mm_hashes: hashes, mm_placeholders: spans })}}`;
  }
  const at = (...offsets: readonly number[]): object[] => offsets.map((offset) => ({ offset, length: 1 }));

  it('has each distinct item once, where it stands first', async () => {
    const answer = features(
      { image: ['a', 'b', 'a', 'c', 'b'] },
      { image: at(1, 2, 3, 4, 5) },
      '[9, 11, 12, 13, 14, 15]',
    );
    expect(items(await chat('', answer))).toEqual(['image a [9,11]', 'image b [9,12]', 'image c [9,14]']);
  });

  it('tells equal hashes of different modalities apart', async () => {
    const answer = features({ image: ['a'], audio: ['a'] }, { image: at(1), audio: at(2) }, '[9,11,12]');
    expect(items(await chat('', answer))).toEqual(['image a [9,11]', 'audio a [9,12]']);
  });

  it.each([
    ['ids beyond a double', '[18014398509481984, 9223372036854775807]', 1, '[18014398509481984,9223372036854775807]'],
    ['ids among white space', '[ 1 ,\n 2 ]', 1, '[1,2]'],
    ['a placeholder that is the first token', '[7,8]', 0, '[7,7]'],
  ])('carries %s', async (_, ids, offset, expected) => {
    expect(items(await chat('', features({ image: ['a'] }, { image: at(offset) }, ids)))).toEqual([
      `image a ${expected}`,
    ]);
  });

  it('has none for a prompt of text', () => {
    expect(encodeItems(aRequest())).toEqual([]);
  });
});
