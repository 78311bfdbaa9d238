import { BadRequestError, UpstreamAnswerError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';

/** Finish reasons of a prompt that was not computed. */
const FAILED: ReadonlySet<string | undefined> = new Set(['error', 'abort']);

/**
 * A prefill worker's answer of 2xx.
 * @throws BadRequestError for what is no JSON object (`sidecar.md` 4.2), UpstreamAnswerError for one that tells of a failure
 */
export async function prefillAnswer(bytes: Buffer): Promise<JsonObject> {
  const answer = await parsed(bytes);
  const error = answer.get('error');
  if (error !== undefined && !error.isNull) throw new UpstreamAnswerError('prefill', '200 with an error in it');
  const choices = answer.get('choices');
  if (choices?.kind !== 'array') return answer;
  const reasons = Array.from(choices.items(), (choice) => choice.member('finish_reason')?.string);
  if (reasons.length === 0) throw new UpstreamAnswerError('prefill', '200 without a choice');
  if (reasons.some((reason) => FAILED.has(reason))) throw new UpstreamAnswerError('prefill', '200 of a failed request');
  return answer;
}

async function parsed(bytes: Buffer): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new BadRequestError('invalid_body', "invalid JSON: prefill's answer is no JSON object", { cause: error });
  }
}
