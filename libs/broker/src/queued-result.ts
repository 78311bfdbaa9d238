import { JsonSyntaxError, validatedObject } from '#json';
import type { JsonObject } from '#json';
import { jsonAnswerOf, refusalAnswer } from './broker-answer.ts';
import type { BrokerAnswer, BrokerRefusal } from './broker-answer.ts';
import { textBytes } from './payload-text.ts';

/** What lies in a mailbox, its payload not read. */
export interface QueuedResult {
  /** HTTP status of the worker; 0 where the async processor itself ended the request, undefined where it is none. */
  readonly status: number | undefined;
  /** Why it did, as a word. */
  readonly errorCode: string;
  readonly json: JsonObject | undefined;
}

/** Reads a result; what is none has no status. */
export async function readResult(bytes: Buffer): Promise<QueuedResult> {
  try {
    const json = await validatedObject(bytes);
    const code = json.get('error_code')?.string ?? '';
    return { status: statusOf(json), errorCode: code, json };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { status: undefined, errorCode: '', json: undefined };
  }
}

/** Whether the result says that the request was given up before a worker had it: its id is free again. */
export function isCancelled({ status, errorCode }: QueuedResult): boolean {
  return status === 0 && errorCode === 'CANCELLED';
}

/**
 * The result as the client gets it: the worker's status and payload, or why there is none. What the async processor wrote about a
 * failure is not shown, since it may be a worker's words (`decisions.md` R2, O5).
 * @see coordinator.md C.9, "Result mirroring"
 */
export async function mirrored(result: QueuedResult, requestId: string): Promise<BrokerAnswer> {
  const { status, json } = result;
  if (status === 0) return refusalAnswer(endOf(result.errorCode), requestId);
  const bytes = await payloadOf(json);
  if (status === undefined || !isFinal(status) || bytes === undefined) return refusalAnswer(MALFORMED, requestId);
  if (HAS_NO_BODY.has(status)) return { status, headers: {}, body: [] };
  return jsonAnswerOf(status, [bytes], bytes.length);
}

/** The worker's body, empty where there is none; undefined for what is no text. */
async function payloadOf(json: JsonObject | undefined): Promise<Buffer | undefined> {
  const payload = json?.get('payload');
  if (payload === undefined || payload.isNull) return NOTHING;
  return payload.kind === 'string' ? textBytes(payload) : undefined;
}

const HAS_NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

const NOTHING = Buffer.alloc(0);

const MALFORMED: BrokerRefusal = {
  status: 502,
  type: 'api_error',
  code: 'MALFORMED_RESULT',
  message: 'the result of the request cannot be read',
};

const ENDS: Readonly<Record<string, Omit<BrokerRefusal, 'code'>>> = {
  GATE_DROPPED: { status: 429, type: 'rate_limit_error', message: 'the request was dropped for lack of capacity' },
  DEADLINE_EXCEEDED: { status: 504, type: 'timeout_error', message: 'the request was not done by its deadline' },
  INVALID_REQUEST: { status: 400, type: 'invalid_request_error', message: 'the request was refused' },
  CANCELLED: { status: 499, type: 'cancelled', message: 'the request was cancelled' },
};

const FAILED = { status: 502, type: 'api_error', message: 'the request failed' } as const;

function endOf(code: string): BrokerRefusal {
  // what is no word of the kind has no place in an answer
  const word = /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : 'INTERNAL_ERROR';
  const known = Object.hasOwn(ENDS, word) ? ENDS[word] : undefined;
  return { ...(known ?? FAILED), code: word };
}

/** An informational status, which upstream would send on, ends no exchange. */
function isFinal(status: number): boolean {
  return status >= 200 && status <= 599;
}

/** 0 where there is none; undefined for what is no whole number. */
function statusOf(json: JsonObject): number | undefined {
  const member = json.get('status_code');
  if (member === undefined || member.isNull) return 0;
  const status = member.number;
  return Number.isSafeInteger(status) ? status : undefined;
}
