import type { Rope } from '#json';
import type { RequestScope, TraceContext } from '#protocol';
import type { ReplyBody } from './reply-body.ts';

/** The scheduling profile that the endpoint picker runs for a call. */
export type Profile = 'encode' | 'prefill' | 'decode';

/** Who is called, as metrics and traces name it. `passthrough` stands for every path that no step drives. */
export type UpstreamName =
  'render' | 'conditional-decode' | 'encode' | 'reserve-endpoint' | 'prefill' | 'decode' | 'passthrough';

/** A time limit and the configuration key it comes from. */
export interface TimeLimit {
  /** Milliseconds; 0 is no limit. */
  readonly ms: number;
  readonly setting: string;
}

/** One call to an upstream, before it is sent. */
export interface UpstreamCall {
  readonly scope: RequestScope;
  readonly upstream: UpstreamName;
  /** The step at fault when it fails: `prefill`, or `encode[2]` for one item of a fan-out. */
  readonly step: string;
  readonly method: string;
  /** Absolute base URL without a trailing slash. */
  readonly base: string;
  /** Path and query. */
  readonly path: string;
  /** Flat, lower-case; `host`, framing and trace context are added when it is sent. */
  readonly headers: readonly string[];
  /** The whole body, or one that arrives while it is sent and so can be sent once only. */
  readonly body: Rope | AsyncIterable<Buffer> | undefined;
  /** Time for the response headers to come. */
  readonly headLimit: TimeLimit;
  /** Longest silence between two parts of the answer; `whole`: `headLimit` is for the whole answer. */
  readonly idleLimit: TimeLimit | 'whole';
  /** Aborts this call; `scope.signal`, or one that follows it. */
  readonly signal: AbortSignal;
  /** Idle connections kept to this origin, where it is not the deployment's number. */
  readonly maxIdle?: number;
  /** Position and number of the items of a fan-out. */
  readonly item?: { readonly index: number; readonly width: number };
}

/** One try of a call; interceptors see each. */
export interface UpstreamAttempt extends UpstreamCall {
  /** 0 for the first try. */
  readonly attempt: number;
  /** When the head of the answer must be there, over all tries, on the clock of `performance.now()`. */
  readonly headDeadline: number | undefined;
  /** How often the call may be sent again: the last try has `attempt === retries`. */
  readonly retries: number;
  /** The trace context that goes out. An interceptor that makes a span for the try sets its own before it calls `next`. */
  trace: TraceContext;
}

/** The head of an answer, and its body still to come. */
export interface UpstreamReply {
  readonly status: number;
  /** Lower-case names; a header that came several times is a list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ReplyBody;
}

/** The first value of an answer's header. */
export function firstValue(reply: UpstreamReply, name: string): string | undefined {
  const value = reply.headers[name];
  return Array.isArray(value) ? value[0] : value;
}
