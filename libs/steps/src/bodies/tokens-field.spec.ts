import { describe, expect, it } from '@jest/globals';
import { joinRope } from '#json';
import { aRequest } from '#testing';
import { rendered } from '../steps.fixture.ts';
import { tokensField } from './tokens-field.ts';

async function field(answer: string): Promise<string | undefined> {
  const rope = tokensField(await rendered(aRequest(), answer));
  return rope && joinRope(rope).toString();
}

describe('tokensField', () => {
  it('has the ids as they came, and nothing more for a prompt of text', async () => {
    expect(await field('{"token_ids": [9, 14 ,6.0]}')).toBe('{"token_ids":[9, 14 ,6.0]}');
  });

  it('has hashes and placeholders as they came, and never kwargs_data', async () => {
    const hashes = '{"image": ["aaaa"], "x": []}';
    const places = '{"image": [{"offset": 1, "length": 2, "is_embed": [true, false], "n": 9007199254740993}], "x": []}';
    const features = `{"kwargs_data": {"image": ["AA=="]}, "mm_hashes": ${hashes}, "mm_placeholders": ${places}}`;
    expect(await field(`{"features": ${features}, "token_ids": [9, 5, 5]}`)).toBe(
      `{"token_ids":[9, 5, 5],"features":{"mm_hashes":${hashes},"mm_placeholders":${places}}}`,
    );
  });

  it('is not there when nothing was tokenized', () => {
    expect(tokensField(aRequest())).toBeUndefined();
  });
});
