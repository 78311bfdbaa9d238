import { rawJson } from '#json';
import type { Rope } from '#json';

/** An answer for the client, whole. */
export interface BrokerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Rope;
}

/** OpenAI's `type` of an error, and `cancelled`, which is upstream's word. */
export type BrokerErrorType =
  'invalid_request_error' | 'api_error' | 'timeout_error' | 'rate_limit_error' | 'cancelled';

/** What a client is told instead of a result. */
export interface BrokerRefusal {
  readonly status: number;
  readonly type: BrokerErrorType;
  readonly code: string;
  readonly message: string;
}

const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' };

/** A JSON answer of our own, or a worker's. */
export function jsonAnswerOf(status: number, body: Rope, length: number): BrokerAnswer {
  return { status, headers: { ...JSON_HEADERS, 'content-length': String(length) }, body };
}

/** 202: the request is known, and its result is not there yet. */
export function pendingAnswer(id: string): BrokerAnswer {
  return textAnswer(202, JSON.stringify({ id, status: 'pending' }));
}

/**
 * OpenAI's error object with the types and codes of the async broker. The message ends with the request's id, as every error here.
 * @see coordinator.md C.9, decisions.md R2
 */
export function refusalAnswer({ status, type, code, message }: BrokerRefusal, requestId: string): BrokerAnswer {
  const error = { message: `${message} (request_id: ${requestId})`, type, param: null, code };
  return textAnswer(status, JSON.stringify({ error }));
}

/** The request is not one that can be served: 400. */
export function invalidRequest(message: string): BrokerRefusal {
  return { status: 400, type: 'invalid_request_error', code: 'INVALID_REQUEST', message };
}

function textAnswer(status: number, text: string): BrokerAnswer {
  return jsonAnswerOf(status, rawJson(text), Buffer.byteLength(text));
}
