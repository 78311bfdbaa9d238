import { ERROR_CODES } from './error-codes.ts';
import type { ErrorCode } from './error-codes.ts';

/** Root of everything thrown on purpose. `message` is safe to show a client: it never holds content or an upstream's words. */
export abstract class CoordinatorError extends Error {
  protected constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
    /** HTTP status the client is answered with (499 is recorded only, never sent); that of the code where nothing else is said. */
    readonly status: number = ERROR_CODES[code].status,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The client's fault, with the status of its code. */
export class BadRequestError extends CoordinatorError {
  /** The request field at fault, as a path such as `messages[0].content[1]`. */
  readonly param: string | undefined;

  /** @param details `status` only where the code's own is not meant */
  constructor(code: ErrorCode, message: string, details: { param?: string; status?: number; cause?: unknown } = {}) {
    super(code, message, details.cause === undefined ? undefined : { cause: details.cause }, details.status);
    this.param = details.param;
  }
}

/** Headers of an upstream's refusal that the client may see (`decisions.md` R3). */
export type RelayedHeaders = Readonly<Record<string, string>>;

/** An upstream answered with something other than what the step needs. 4xx, 503 and 504 keep their status, the rest is 502. */
export class UpstreamError extends CoordinatorError {
  /** @param step who was called: a step's name, or `encode[2]` for one item of a fan-out. */
  constructor(
    readonly step: string,
    readonly upstreamStatus: number,
    readonly relayed: RelayedHeaders = {},
  ) {
    const rejected = upstreamStatus >= 400 && upstreamStatus < 500;
    super(
      rejected ? 'upstream_rejected' : 'upstream_failed',
      rejected ? `${step} rejected the request: HTTP ${upstreamStatus}` : `${step} failed: HTTP ${upstreamStatus}`,
      undefined,
      rejected || upstreamStatus === 503 || upstreamStatus === 504 ? upstreamStatus : 502,
    );
  }
}

/** The connection to an upstream could not be made, or broke before its answer was whole. */
export class UpstreamConnectionError extends CoordinatorError {
  constructor(
    readonly step: string,
    /** `refused`: nobody listens or the name does not resolve; `reset`: the connection broke. */
    readonly reason: 'refused' | 'reset',
    /** Whether nothing can have come of the call, so that it may be sent again (`decisions.md` P6). */
    readonly isRepeatable = false,
    cause?: unknown,
  ) {
    super(
      'upstream_unreachable',
      reason === 'refused' ? `${step} could not be reached` : `${step} broke the connection`,
      { cause },
    );
  }
}

/** An upstream took longer than its time limit. */
export class UpstreamTimeoutError extends CoordinatorError {
  /** @param setting the configuration key of the limit, so that the message names what to change. */
  constructor(
    readonly step: string,
    setting: string,
  ) {
    super('upstream_timeout', `${step} did not answer in time (${setting})`);
  }
}

/** An upstream answered 200 with a body that is not what the step needs. */
export class UpstreamAnswerError extends CoordinatorError {
  constructor(
    readonly step: string,
    what: string,
    cause?: unknown,
  ) {
    super('upstream_invalid_answer', `${step} answered ${what}`, cause === undefined ? undefined : { cause });
  }
}

/** The client went away; recorded as 499, never sent. */
export class ClientClosedError extends CoordinatorError {
  constructor() {
    super('client_closed', 'the client closed the connection');
  }
}

/** The process is shutting down. */
export class DrainingError extends CoordinatorError {
  constructor() {
    super('draining', 'the service is shutting down');
  }
}

/** A fault of ours. */
export class InternalError extends CoordinatorError {
  constructor(cause?: unknown) {
    super('internal', 'internal error', { cause });
  }
}
