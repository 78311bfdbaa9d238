/** Codes of a refusal, each with its HTTP status (`epp.md` 1.8). */
export const REFUSALS = {
  BadRequest: 400,
  PreconditionFailed: 412,
  ResourceExhausted: 429,
  Internal: 500,
  ServiceUnavailable: 503,
} as const;

export type RefusalCode = keyof typeof REFUSALS;

/** Why the router itself turned a request away, as `x-llm-d-request-dropped-reason` tells it. */
export type DroppedReason =
  | 'rejected-saturated'
  | 'rejected-no-endpoints'
  | 'rejected-ttl-expired'
  | 'rejected-context-cancelled'
  | 'rejected-shutting-down'
  | 'evicted';

/** A request that gets no endpoint. The message is for the client and holds no content. */
export class SchedulingError extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly droppedReason?: DroppedReason,
  ) {
    super(message);
    this.name = 'SchedulingError';
  }

  get status(): number {
    return REFUSALS[this.code];
  }

  /** What the client reads. */
  get body(): string {
    return `inference error: ${this.code} - ${this.message}`;
  }
}

/** No endpoint was found, for a reason that has no code of its own. The message holds no content. */
export class NoTargetError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoTargetError';
  }
}
