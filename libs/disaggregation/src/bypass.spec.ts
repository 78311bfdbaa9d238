import { describe, expect, it } from '@jest/globals';
import { JsonObject } from '#json';
import { bypassReason } from './bypass.ts';

describe('bypassReason', () => {
  it.each([
    ['{}', undefined],
    ['{"prompt_logprobs":null}', undefined],
    ['{"prompt_logprobs":1}', 'prompt_logprobs'],
    ['{"prompt_logprobs":0}', 'prompt_logprobs'],
    ['{"prompt_logprobs":1,"echo":true}', 'prompt_logprobs'],
    ['{"prompt_logprobs":1,"prompt_logprobs":null}', undefined],
    ['{"logprobs":2}', undefined],
    ['{"echo":true}', undefined],
    ['{"echo":true,"logprobs":null}', undefined],
    ['{"echo":false,"logprobs":2}', undefined],
    ['{"echo":true,"logprobs":2}', 'echo_logprobs'],
    ['{"sampling_params":{"prompt_logprobs":1}}', 'prompt_logprobs'],
    ['{"sampling_params":{"prompt_logprobs":null}}', undefined],
    ['{"sampling_params":null}', undefined],
    ['{"sampling_params":"prompt_logprobs"}', undefined],
  ])('of %s is %s', (body, reason) => {
    expect(bypassReason(JsonObject.of(Buffer.from(body)))).toBe(reason);
  });
});
