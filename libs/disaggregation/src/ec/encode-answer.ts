import { UpstreamAnswerError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';
import type { WholeAnswer } from '../stage.client.ts';

/**
 * What a worker said of its item.
 * @returns undefined for what is no JSON object
 * @throws UpstreamAnswerError for an answer with an `error` in it
 */
export async function encodeAnswer({ bytes }: WholeAnswer, step: string): Promise<JsonObject | undefined> {
  const answer = await parsed(bytes);
  const error = answer?.get('error');
  if (error !== undefined && !error.isNull) throw new UpstreamAnswerError(step, '200 with an error in it');
  return answer;
}

async function parsed(bytes: Buffer): Promise<JsonObject | undefined> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
