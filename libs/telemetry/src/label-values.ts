/** The closed sets that label values come from. What a client chooses (the model) is bounded by `LabelCap`. */

/** Whom a call goes to (`coordinator.md` F.1). */
export const UPSTREAMS = ['render', 'conditional-decode', 'encode', 'reserve-endpoint', 'prefill', 'decode'] as const;

/** Why a request or a step failed (`coordinator.md` F.1, and `client_closed`). */
export const ERROR_CODES = [
  'bad_request',
  'upstream_4xx',
  'upstream_5xx',
  'upstream_transport',
  'client_closed',
  'internal',
] as const;
export type ErrorLabel = (typeof ERROR_CODES)[number];

/** Which phases a request went through. */
export const EXECUTION_PATHS = ['decode-only', 'prefill-decode', 'encode-prefill-decode', 'prefill-fallback'] as const;
export type ExecutionPath = (typeof EXECUTION_PATHS)[number];

/** Where the time to the first token goes; the parts do not overlap. */
export const PARTS = ['receive', 'media', 'render', 'probe', 'encode', 'prefill', 'decode', 'coordinator'] as const;
export type Part = (typeof PARTS)[number];

/** How a response that had begun ended. */
export const STREAM_OUTCOMES = [
  'completed',
  'incomplete',
  'client_closed',
  'upstream_reset',
  'stalled',
  'drained',
] as const;
export type StreamOutcome = (typeof STREAM_OUTCOMES)[number];

/** What came of a probe. */
export const PROBE_RESULTS = ['served', 'deferred', 'error', 'transport_error'] as const;
export type ProbeResult = (typeof PROBE_RESULTS)[number];

/** The APIs, as metrics name them. */
export const ROUTES = ['chat_completions', 'completions', 'responses', 'generate', 'unknown'] as const;
export type Route = (typeof ROUTES)[number];

/** Statuses that tell back-pressure from faults. */
export const REJECTIONS = ['429', '503', 'other_4xx', 'other_5xx'] as const;
export type Rejection = (typeof REJECTIONS)[number];

/** What a request asked the async broker for; `unknown` where it is no mode. */
export const ASYNC_MODES = ['passthrough', 'enqueue', 'wait', 'unknown'] as const;

/** What became of it. */
export const ASYNC_SUBMISSIONS = ['forwarded', 'queued', 'reattached', 'refused', 'failed'] as const;

/** How a held request ended. */
export const ASYNC_HOLDS = ['delivered', 'pending', 'deadline', 'client_closed', 'drained'] as const;

/** How a request stands to its tenant's quota. */
export const ASYNC_QUOTA = ['reserved', 'overflow', 'unknown'] as const;

/** Why Redis did not do what it was asked. */
export const REDIS_FAILURES = ['offline', 'timeout', 'closed', 'reply', 'other'] as const;

/** Why a call was sent again. */
export const RETRY_REASONS = ['refused', 'reset'] as const;
