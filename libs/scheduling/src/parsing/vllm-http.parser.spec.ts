import { describe, expect, it } from '@jest/globals';
import { PassthroughParser } from './passthrough.parser.ts';
import { VllmHttpParser } from './vllm-http.parser.ts';

const parse = (body: unknown): ReturnType<VllmHttpParser['parse']> =>
  new VllmHttpParser().parse(Buffer.from(JSON.stringify(body)));

describe('vllmhttp-parser', () => {
  it('reads tokens, features and what is common', async () => {
    const features = { mm_hashes: { image: ['h'] }, mm_placeholders: { image: [{ offset: 1, length: 2 }] } };
    const sampling = { max_tokens: 9 };
    const body = {
      model: 'm',
      token_ids: [1, 2, 3],
      features,
      sampling_params: sampling,
      stream: true,
      cache_salt: 's',
    };
    const parsed = await parse(body);
    expect(parsed).toMatchObject({ model: 'm', isStream: true, cacheSalt: 's', maxTokens: 9, hasMedia: true });
    expect(parsed.prompts()).toEqual([
      { ids: new Uint32Array([1, 2, 3]), features: [{ modality: 'image', hash: 'h', offset: 1, length: 2 }] },
    ]);
  });

  it('finds no media without hashes', async () => {
    expect((await parse({ token_ids: [1], features: { mm_hashes: {} } })).hasMedia).toBe(false);
  });

  it.each([
    [{}, 'invalid generate request: must have token_ids field'],
    [{ token_ids: [] }, 'invalid generate request: must have token_ids field'],
    [{ token_ids: 'x' }, 'invalid generate request: must have token_ids field'],
    [{ token_ids: [1.5] }, 'token_ids[0] is not a token id from 0 to 4294967295'],
    [{ token_ids: [1], features: 1 }, 'features is not an object'],
  ])('refuses %j', async (body, message) => {
    await expect(parse(body)).rejects.toMatchObject({ code: 'BadRequest', message });
  });
});

describe('passthrough-parser', () => {
  it('reads nothing, and has no end that a path must have', () => {
    const parser = new PassthroughParser();
    const parsed = parser.parse();
    expect(parser.suffixes).toEqual([]);
    expect(parsed).toMatchObject({ model: undefined, isStream: false, hasMedia: false });
    expect(parsed.prompts()).toEqual([]);
    expect(parsed.withModel).toBeUndefined();
  });
});
