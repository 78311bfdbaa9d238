import { describe, expect, it } from '@jest/globals';
import { JsonObject, joinRope } from '#json';
import { cappedBody } from './capped-body.ts';

const capped = (...[body, apiType]: readonly [string, Parameters<typeof cappedBody>[1]]): string =>
  joinRope(cappedBody(JsonObject.of(Buffer.from(body)), apiType).toRope()).toString();

describe('cappedBody', () => {
  it.each([
    ['chat_completions', '{}', '{"max_tokens":1,"stream":false}'],
    ['chat_completions', '{"max_tokens":50}', '{"max_tokens":1,"stream":false}'],
    [
      'chat_completions',
      '{"max_completion_tokens":50,"min_tokens":5}',
      '{"max_completion_tokens":1,"min_tokens":1,"max_tokens":1,"stream":false}',
    ],
    ['chat_completions', '{"stream":true,"stream_options":{"a":1}}', '{"stream":false,"max_tokens":1}'],
    ['chat_completions', '{"max_output_tokens":9}', '{"max_output_tokens":9,"max_tokens":1,"stream":false}'],
    ['responses', '{}', '{"max_output_tokens":1,"stream":false}'],
    ['responses', '{"max_output_tokens":9,"min_tokens":3}', '{"max_output_tokens":1,"min_tokens":1,"stream":false}'],
    ['generate', '{}', '{"sampling_params":{"max_tokens":1},"stream":false}'],
    ['generate', '{"sampling_params":null}', '{"sampling_params":{"max_tokens":1},"stream":false}'],
    [
      'generate',
      '{"sampling_params":{ "min_tokens":5, "temperature":0.70 }}',
      '{"sampling_params":{ "min_tokens":1, "temperature":0.70,"max_tokens":1 },"stream":false}',
    ],
  ] as const)('of %s %s is %s', (apiType, body, expected) => {
    expect(capped(body, apiType)).toBe(expected);
  });
});
