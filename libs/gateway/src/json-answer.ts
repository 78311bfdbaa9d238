import { UpstreamAnswerError, UpstreamError } from '#foundation';
import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';
import { HEADER } from '#protocol';
import { firstValue } from './upstream-call.ts';
import type { UpstreamReply } from './upstream-call.ts';

/** Headers of a refusal that tell a client when to come back and why (`decisions.md` R3). */
const RELAYED = [HEADER.retryAfter, 'retry-after-ms', HEADER.droppedReason] as const;

/**
 * The whole body of an answer whose status is exactly 200.
 * @throws UpstreamError for any other status; what the upstream said in its body stays behind
 */
export async function answerBytes(reply: UpstreamReply, step: string, limit: number): Promise<Buffer> {
  if (reply.status !== 200) {
    reply.body.discard();
    throw refusal(reply, step);
  }
  return reply.body.readAll(limit, 'gateway.max_response_size');
}

/**
 * The JSON object of an answer whose status is exactly 200 and that has no `error` of its own (`decisions.md` P7a).
 * @throws UpstreamError, UpstreamAnswerError
 */
export async function jsonAnswer(reply: UpstreamReply, step: string, limit: number): Promise<JsonObject> {
  const bytes = await answerBytes(reply, step, limit);
  const answer = await parsed(bytes, step);
  const error = answer.get('error');
  if (error !== undefined && !error.isNull) throw new UpstreamAnswerError(step, '200 with an error in it');
  return answer;
}

async function parsed(bytes: Buffer, step: string): Promise<JsonObject> {
  try {
    return await validatedObject(bytes);
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw new UpstreamAnswerError(step, 'something other than a JSON object', error);
    throw error;
  }
}

/** What the upstream's status means for the request, with the headers that a client may see; what it said in its body stays behind. */
export function refusal(reply: UpstreamReply, step: string): UpstreamError {
  const relayed: Record<string, string> = {};
  for (const name of RELAYED) {
    const value = firstValue(reply, name);
    if (value !== undefined) relayed[name] = value;
  }
  return new UpstreamError(step, reply.status, relayed);
}
