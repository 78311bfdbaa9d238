import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import type { InferenceApi } from './inference-api.ts';
import { requireEveryLimit, requireSingleToken, requireUnstored } from './single-token.checks.ts';

const GOOD: Readonly<Record<InferenceApi, JsonObject>> = {
  chat: { max_tokens: 1, stream: false, n: 2 },
  completions: { max_tokens: 1, stream: false },
  responses: { max_output_tokens: 1, stream: false, store: false },
  generate: { sampling_params: { max_tokens: 1 }, stream: false },
};

describe('requireSingleToken', () => {
  it.each(Object.entries(GOOD) as [InferenceApi, JsonObject][])('takes a capped %s body', (api, body) => {
    expect(() => {
      requireSingleToken(api, body);
    }).not.toThrow();
  });

  const refused: { api: InferenceApi; change: JsonObject; says: string }[] = [
    { api: 'chat', change: { max_tokens: undefined }, says: 'max_tokens must be 1, got undefined' },
    { api: 'chat', change: { max_tokens: 50 }, says: 'max_tokens must be 1, got 50' },
    { api: 'chat', change: { max_completion_tokens: 60 }, says: 'max_completion_tokens must be 1, got 60' },
    { api: 'chat', change: { stream: true }, says: 'stream must be false, got true' },
    { api: 'chat', change: { stream: undefined }, says: 'stream must be false' },
    { api: 'chat', change: { stream_options: { include_usage: true } }, says: 'stream_options' },
    { api: 'chat', change: { min_tokens: 5 }, says: 'min_tokens is 5' },
    { api: 'completions', change: { max_tokens: 16 }, says: 'max_tokens must be 1, got 16' },
    { api: 'responses', change: { max_output_tokens: 9 }, says: 'max_output_tokens must be 1, got 9' },
    { api: 'generate', change: { sampling_params: { max_tokens: 4 } }, says: 'max_tokens must be 1, got 4' },
    { api: 'generate', change: { sampling_params: { max_tokens: 1, min_tokens: 2 } }, says: 'min_tokens is 2' },
    { api: 'generate', change: { sampling_params: undefined, max_tokens: 1 }, says: 'max_tokens must be 1' },
  ];
  it.each(refused)('refuses $api with $change', ({ api, change, says }) => {
    expect(() => {
      requireSingleToken(api, { ...GOOD[api], ...change });
    }).toThrow(says);
  });
});

describe('requireUnstored', () => {
  it('wants a response not to be kept', () => {
    expect(() => {
      requireUnstored('responses', { store: false });
      requireUnstored('chat', {});
    }).not.toThrow();
    expect(() => {
      requireUnstored('responses', {});
    }).toThrow('store must be false, got undefined');
  });
});

describe('requireEveryLimit', () => {
  const all: [InferenceApi, JsonObject][] = [
    ['chat', { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 }],
    ['completions', { max_tokens: 1, max_completion_tokens: 1, min_tokens: 1 }],
    ['responses', { max_output_tokens: 1 }],
    ['generate', { sampling_params: { max_tokens: 1, min_tokens: 1 } }],
  ];
  it.each(all)('wants each limit of %s to be 1', (api, body) => {
    expect(() => {
      requireEveryLimit(api, body);
    }).not.toThrow();
    expect(() => {
      requireEveryLimit(api, { max_tokens: 1 });
    }).toThrow('must be 1, got undefined');
  });
});
