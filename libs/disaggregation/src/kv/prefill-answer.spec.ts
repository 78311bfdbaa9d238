import { describe, expect, it } from '@jest/globals';
import { BadRequestError, UpstreamAnswerError } from '#foundation';
import { prefillAnswer } from './prefill-answer.ts';

const read = (text: string): Promise<unknown> => prefillAnswer(Buffer.from(text));

describe('prefillAnswer', () => {
  it.each([
    '{}',
    '{"error":null,"choices":[{"finish_reason":"length"}]}',
    '{"choices":[{"finish_reason":null},{}]}',
    '{"choices":null}',
    '{"choices":{}}',
    '{"id":"resp","output":[],"status":"incomplete"}',
  ])('is that of a prefill that went well: %s', async (text) => {
    await expect(read(text)).resolves.toBeDefined();
  });

  it.each([
    '{"error":"no"}',
    '{"error":{"message":"no"}}',
    '{"error":false}',
    '{"choices":[]}',
    '{"choices":[{"finish_reason":"error"}]}',
    '{"choices":[{"finish_reason":"length"},{"finish_reason":"abort"}]}',
    '{"choices":[{"finish_reason":"\\u0065rror"}]}',
  ])('is that of one that failed: %s', async (text) => {
    await expect(read(text)).rejects.toThrow(UpstreamAnswerError);
  });

  it.each(['', 'null', '[]', '"x"', '{', '{"a":oops}', '{} {}', '{"a":"\xff"'])(
    'is refused where it is no JSON object: %j',
    async (text) => {
      const error = prefillAnswer(Buffer.from(text, 'latin1'));
      await expect(error).rejects.toThrow(BadRequestError);
      await expect(error).rejects.toThrow("invalid JSON: prefill's answer is no JSON object");
    },
  );
});
