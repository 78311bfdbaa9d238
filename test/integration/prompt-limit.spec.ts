import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { TokenArray } from '#json';
import { next } from '#pipeline';
import { aRequest } from '#testing';
import { PromptLimitStep, promptLimitParams } from '../fixtures/steps/prompt-limit.step.ts';

describe('PromptLimitStep', () => {
  const request = aRequest({ findings: { tokens: TokenArray.scan(Buffer.from('[9, 14, 6]')) } });
  const step = new PromptLimitStep();

  it('lets a prompt pass that is as long as it may be', async () => {
    expect(await step.execute(request, promptLimitParams.parse({ max_prompt_tokens: 3 }))).toEqual(next());
  });

  it('refuses a longer one', async () => {
    const refused = step.execute(request, promptLimitParams.parse({ max_prompt_tokens: 2 }));
    await expect(refused).rejects.toThrow(
      new BadRequestError('too_many_tokens', 'the prompt has 3 tokens, the limit is 2'),
    );
  });
});
