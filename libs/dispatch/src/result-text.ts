import { joinedByTurns } from '#broker';
import { RopeBuilder, jsonString } from '#json';
import { jsonText } from './json-text.ts';

/** Why a request has no answer, as its client is told (`docs/queued-requests.md`, "Errors"). */
export type ResultError =
  'CANCELLED' | 'DEADLINE_EXCEEDED' | 'INVALID_REQUEST' | 'RESPONSE_TOO_LARGE' | 'RETRIES_EXHAUSTED' | 'WORKER_LOST';

const MESSAGES: Readonly<Record<ResultError, string>> = {
  CANCELLED: 'the request was cancelled',
  DEADLINE_EXCEEDED: 'the deadline is over',
  INVALID_REQUEST: 'the request cannot be read',
  RESPONSE_TOO_LARGE: 'the answer is too large',
  RETRIES_EXHAUSTED: 'no try had an answer',
  WORKER_LOST: 'every worker that had the request disappeared',
};

/** JSON of a result with the coordinator's answer (`coordinator.md` C.9). @param id `data.id` of the envelope */
export async function answerResult(id: string, status: number, body: Buffer): Promise<Buffer> {
  const result = new RopeBuilder()
    .text(`{"id":${jsonString(id)},"status_code":${status},"payload":`)
    .bytes(await jsonText(body))
    .text('}');
  return joinedByTurns(result.done());
}

/** JSON of a result without one: status 0. */
export function errorResult(id: string, code: ResultError): Buffer {
  return Buffer.from(JSON.stringify({ id, payload: '', error_code: code, error_message: MESSAGES[code] }));
}
