import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { JsonObject } from '#json';
import { generateTokens, promptTokens } from './prompt-tokens.ts';

const object = (text: string): JsonObject => JsonObject.of(Buffer.from(text));

/** `code param` of the refusal. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof BadRequestError && error.status === 400) return `${error.code} ${error.param ?? ''}`;
    throw error;
  }
  return 'none';
}

describe('promptTokens', () => {
  const of = (prompt: string) => promptTokens(object(`{"prompt":${prompt}}`));

  it.each([
    ['[]', 0],
    ['[ 151644 , 8948,\n198 ]', 3],
    ['[1.0,2e1,9223372036854775807]', 3],
  ])('takes %s as it came', (prompt, count) => {
    expect(of(prompt)?.count).toBe(count);
    expect(of(prompt)?.bytes.toString()).toBe(prompt);
  });

  it.each(['"hi"', '""'])('leaves the text %s to render', (prompt) => {
    expect(of(prompt)).toBeUndefined();
  });

  it.each(['["a","b"]', '["a"]', '[[1,2],[3]]', '[[]]', '["a",1]'])('refuses the batch %s', (prompt) => {
    expect(refusal(() => of(prompt))).toBe('batched_prompt prompt');
  });

  it.each([
    ['null', 'prompt'],
    ['5', 'prompt'],
    ['true', 'prompt'],
    ['{"a":1}', 'prompt'],
    ['[null]', 'prompt[0]'],
    ['[true]', 'prompt[0]'],
    ['[{"prompt_embeds":1}]', 'prompt[0]'],
    ['[1,"a"]', 'prompt[1]'],
    ['[1,[2]]', 'prompt[1]'],
    ['[-1]', 'prompt[0]'],
    ['[1,2,1.5]', 'prompt[2]'],
    ['[1e400]', 'prompt[0]'],
    ['[9223372036854775808]', 'prompt[0]'],
  ])('refuses %s at %s', (prompt, place) => {
    expect(refusal(() => of(prompt))).toBe(`invalid_value ${place}`);
  });

  it('refuses a request without a prompt', () => {
    expect(refusal(() => promptTokens(object('{"model":"m"}')))).toBe('invalid_value prompt');
  });

  it('reads the last of repeated prompts', () => {
    expect(promptTokens(object('{"prompt":["a"],"prompt":[1,2]}'))?.count).toBe(2);
  });
});

describe('generateTokens', () => {
  const of = (members: string) => generateTokens(object(`{"token_ids":[9,5,5],${members}}`));
  const IMAGE = '"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":1,"length":2}]}';

  it('takes the ids as they came', () => {
    const { tokens, features } = generateTokens(object('{"token_ids": [ 1, 2.0 ] ,"sampling_params":{}}'));
    expect(tokens.bytes.toString()).toBe('[ 1, 2.0 ]');
    expect(features).toBeUndefined();
  });

  it.each([
    ['absent', '{"model":"m"}', 'token_ids'],
    ['null', '{"token_ids":null}', 'token_ids'],
    ['a text', '{"token_ids":"hi"}', 'token_ids'],
    ['an object', '{"token_ids":{}}', 'token_ids'],
    ['empty', '{"token_ids":[]}', 'token_ids'],
    ['negative', '{"token_ids":[1,-2]}', 'token_ids[1]'],
    ['fractional', '{"token_ids":[0.5]}', 'token_ids[0]'],
    ['beyond 63 bits', '{"token_ids":[9223372036854775808]}', 'token_ids[0]'],
    ['a text among them', '{"token_ids":["1"]}', 'token_ids[0]'],
    ['a switch among them', '{"token_ids":[true]}', 'token_ids[0]'],
    ['nested', '{"token_ids":[[1]]}', 'token_ids[0]'],
  ])('refuses token_ids that are %s', (_, body, place) => {
    expect(refusal(() => generateTokens(object(body)))).toBe(`invalid_value ${place}`);
  });

  it.each([
    ['"sampling_params":[]', 'sampling_params'],
    ['"sampling_params":"x"', 'sampling_params'],
    ['"sampling_params":1', 'sampling_params'],
    ['"sampling_params":{"extra_args":[]}', 'sampling_params.extra_args'],
    ['"sampling_params":{"extra_args":"x"}', 'sampling_params.extra_args'],
    ['"features":"x"', 'features'],
    ['"features":[]', 'features'],
    ['"features":1', 'features'],
    ['"features":{"mm_hashes":[]}', 'features'],
    ['"features":{"mm_hashes":{"image":["a"]}}', 'features'],
    ['"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":3,"length":0}]}}', 'features'],
    ['"features":{"mm_hashes":{"image":["a"]},"mm_placeholders":{"image":[{"offset":1,"length":3}]}}', 'features'],
    [`"features":{${IMAGE},"kwargs_data":{"image":[1]}}`, 'features'],
    [`"features":{${IMAGE},"kwargs_data":{"image":[]}}`, 'features'],
  ])('refuses %s', (members, place) => {
    expect(refusal(() => of(members))).toBe(`invalid_value ${place}`);
  });

  it.each([
    ['"sampling_params":null', 0],
    ['"sampling_params":{"extra_args":null}', 0],
    ['"sampling_params":{"extra_args":{"x":1}}', 0],
    ['"features":null', 0],
    ['"features":{}', 0],
    [`"features":{${IMAGE}}`, 1],
    [`"features":{${IMAGE},"kwargs_data":{"image":[null]}}`, 1],
    [
      '"features":{"mm_hashes":{"any":["a","b"]},"mm_placeholders":{"any":[{"offset":0,"length":1},{"offset":2,"length":1}]}}',
      2,
    ],
  ])('takes %s, with %d entries', (members, entries) => {
    expect(of(members).features?.entries.length ?? 0).toBe(entries);
  });
});
