import type { TraceContext } from './trace-context.ts';

/**
 * What stays the same for one client request from its first byte to its last. Its identity is the request's: whoever keeps
 * something beside a request (telemetry does) keys it by this object.
 */
export interface RequestScope {
  /** The validated or made `x-request-id`. */
  readonly id: string;
  /** Aborts when the client has left, or the process gives the request up; the reason is a `CoordinatorError`. */
  readonly signal: AbortSignal;
  /** The client's headers that may go upstream: lower-case names, one value each, flat (`[name, value, name, value]`). */
  readonly headers: readonly string[];
  /** The client's own trace context, as far as it is valid. */
  readonly trace: TraceContext;
  /** Whether the client chose the id, so that it may name an earlier request. */
  readonly hasOwnId?: boolean;
  /** Settles when the reply is over: true when its last byte has left, false when the connection is gone. */
  readonly delivered?: Promise<boolean>;
  /** `x-llm-d-revision-decision-id` of every call of this request, where it is sent (`pipeline.revision_id`). */
  readonly revisionId?: string;
}
