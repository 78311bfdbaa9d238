import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { JsonValue, TokenArray } from '#json';
import { readFeatures } from '#protocol';
import { renderParams } from './render.params.ts';
import { checkTokenLimits } from './token-limits.ts';

const TOKENS = TokenArray.scan(Buffer.from('[9,7,7,7,5,5]'));
const FEATURES = readFeatures(
  JsonValue.read(
    Buffer.from(
      '{"mm_hashes":{"image":["a"],"audio":["b"]},' +
        '"mm_placeholders":{"image":[{"offset":1,"length":3}],"audio":[{"offset":4,"length":2}]}}',
    ),
  ),
  TOKENS.count,
);

/** Checks six tokens, five of them placeholders. */
function check(limits: object, features = FEATURES): void {
  checkTokenLimits(TOKENS, features, renderParams.parse({ address: 'http://render', ...limits }));
}

describe('checkTokenLimits', () => {
  it.each([
    {},
    { max_total_tokens: 0, max_total_placeholder_tokens: 0 },
    { max_total_tokens: 6 },
    { max_total_placeholder_tokens: 5 },
    { max_total_tokens: 6, max_total_placeholder_tokens: 5 },
  ])('lets a prompt pass under %j', (limits) => {
    expect(() => {
      check(limits);
    }).not.toThrow();
  });

  it.each([
    [{ max_total_tokens: 5 }, 'too many total tokens: got 6, max 5'],
    [{ max_total_placeholder_tokens: 4 }, 'too many total placeholder tokens: got 5, max 4'],
    [{ max_total_tokens: 1, max_total_placeholder_tokens: 1 }, 'too many total tokens: got 6, max 1'],
  ])('refuses it under %j', (limits, message) => {
    expect(() => {
      check(limits);
    }).toThrow(new BadRequestError('too_many_tokens', message));
  });

  it('counts no placeholders in a text', () => {
    expect(() => {
      checkTokenLimits(TOKENS, undefined, renderParams.parse({ address: 'http://r', max_total_placeholder_tokens: 1 }));
    }).not.toThrow();
  });
});

describe('renderParams', () => {
  it('need an address, and have a default for the rest', () => {
    expect(renderParams.parse({ address: 'http://render:8000/' })).toEqual({
      address: 'http://render:8000',
      timeout: 30_000,
      max_idle_conns_per_host: 100,
      max_total_tokens: 0,
      max_total_placeholder_tokens: 0,
    });
    expect(renderParams.safeParse({}).success).toBe(false);
  });

  it.each([
    { max_total_tokens: -1 },
    { max_total_tokens: 1.5 },
    { max_total_tokens: '5' },
    { max_total_placeholder_tokens: -1 },
    { max_total_placeholder_tokens: true },
    { max_idle_conns_per_host: -1 },
    { timeout: 30 },
    { timeout: '30' },
    { address: 'render:8000' },
    { use_openai_format: true },
  ])('refuse %j', (params) => {
    expect(renderParams.safeParse({ address: 'http://render', ...params }).success).toBe(false);
  });

  it('take an integer that is written with a fraction of zero', () => {
    expect(renderParams.parse({ address: 'http://r', max_total_tokens: 8192.0 }).max_total_tokens).toBe(8192);
  });
});
