import { describe, expect, it } from '@jest/globals';
import { JsonObject, joinRope } from '#json';
import { DISAGGREGATED_PATHS, apiTypeOf, singleToken } from './api-type.ts';
import type { ApiType } from './api-type.ts';

function capped(body: string, apiType: ApiType): string {
  return joinRope(singleToken(JsonObject.of(Buffer.from(body)), apiType).toRope()).toString();
}

describe('apiTypeOf', () => {
  it.each([
    ['/v1/chat/completions', 'chat_completions'],
    ['/v1/completions', 'chat_completions'],
    ['/v1/messages', 'chat_completions'],
    ['/v1/responses', 'responses'],
    ['/inference/v1/generate', 'generate'],
  ])('of %s is %s', (path, apiType) => {
    expect(apiTypeOf(path)).toBe(apiType);
    expect(DISAGGREGATED_PATHS).toContain(path);
  });

  it.each(['/v1/chat/completions/', '/V1/completions', '/v1/embeddings', '/v1/chat/completions?a=1', ''])(
    'is none for %j, which is passed through',
    (path) => {
      expect(apiTypeOf(path)).toBeUndefined();
    },
  );
});

describe('singleToken', () => {
  it.each<[ApiType, string, string]>([
    ['chat_completions', '{}', '{"stream":false,"max_tokens":1,"max_completion_tokens":1,"min_tokens":1}'],
    [
      'chat_completions',
      '{"max_tokens":100,"min_tokens":5,"stream":true,"stream_options":{},"max_completion_tokens":9}',
      '{"max_tokens":1,"min_tokens":1,"stream":false,"max_completion_tokens":1}',
    ],
    ['responses', '{"max_output_tokens":100,"stream":true}', '{"max_output_tokens":1,"stream":false}'],
    ['responses', '{"max_tokens":100}', '{"max_tokens":100,"stream":false,"max_output_tokens":1}'],
    [
      'generate',
      '{"sampling_params":{"n":1, "min_tokens":5,"max_tokens":100,"seed":9007199254740993}}',
      '{"sampling_params":{"n":1, "min_tokens":1,"max_tokens":1,"seed":9007199254740993},"stream":false}',
    ],
    ['generate', '{}', '{"stream":false,"sampling_params":{"max_tokens":1,"min_tokens":1}}'],
    ['generate', '{"sampling_params":null}', '{"sampling_params":{"max_tokens":1,"min_tokens":1},"stream":false}'],
    ['generate', '{"sampling_params":[1]}', '{"sampling_params":{"max_tokens":1,"min_tokens":1},"stream":false}'],
    ['generate', '{"sampling_params":{}}', '{"sampling_params":{"max_tokens":1,"min_tokens":1},"stream":false}'],
  ])('of %s makes %s a request for one token', (apiType, body, expected) => {
    expect(capped(body, apiType)).toBe(expected);
  });

  it('leaves the body that it is given as it is', () => {
    const text = '{"max_tokens":100,"sampling_params":{"max_tokens":5}}';
    const body = JsonObject.of(Buffer.from(text));
    singleToken(body, 'generate');
    expect(joinRope(body.toRope()).toString()).toBe(text);
  });
});
