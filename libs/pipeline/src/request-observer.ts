import type { CoordinatorError } from '#foundation';
import type { RequestScope } from '#protocol';
import type { InboundRequest } from './pipeline-request.ts';

/** A request that has just come in; nothing of its body is read. */
export interface RequestArrival {
  readonly scope: RequestScope;
  readonly method: string;
  /** Path without query. */
  readonly path: string;
  /** The route template it matched; undefined for the passthrough. */
  readonly route: string | undefined;
  /** False for a route that asks for no inference, such as that of a queued request; not said, it does. */
  readonly isInference?: boolean;
}

/** How a reply ended, as the client could see it. */
export type ReplyEnd = 'completed' | 'client_closed' | 'stalled' | 'upstream_reset' | 'drained';

/** What is known of a reply when its last byte has left, or its connection is gone. */
export interface ReplyFacts {
  readonly end: ReplyEnd;
  /** Status that was sent; undefined when none was. */
  readonly status: number | undefined;
  /** Bytes of body that were written. */
  readonly bytes: number;
  /** Whether the answer was an event stream. */
  readonly isStream: boolean;
}

/** Follows one request from outside the pipeline. */
export interface RequestWatch {
  /** So many bytes of body were read, whole or not. */
  bodyRead(bytes: number): void;
  /** The body is a request. */
  parsed(request: InboundRequest): void;
  /** The request failed; called at most once, before `ended`. */
  failed(error: CoordinatorError): void;
  /** The last call. */
  ended(facts: ReplyFacts): void;
}

/** Port: told of every request that is driven through the pipeline or passed through. Telemetry comes in here. */
export abstract class RequestObserver {
  abstract begin(arrival: RequestArrival): RequestWatch;
}

const NOTHING: RequestWatch = {
  bodyRead: () => undefined,
  parsed: () => undefined,
  failed: () => undefined,
  ended: () => undefined,
};

/** Watches nothing. */
export class NoRequestObserver extends RequestObserver {
  begin(): RequestWatch {
    return NOTHING;
  }
}
