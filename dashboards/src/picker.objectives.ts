/** What the endpoint picker promises; its alerts and its dashboard measure against it. */
export const PICKER_OBJECTIVES = {
  /** Seconds of the slowest of a hundred decisions, a bucket border of the metric; test/bench/epp.bench.mjs has the same. */
  decision: 0.005,
} as const;

/** Codes of requests that are told no where yes was meant: a 412 of `Prefer: if-available` is an answer like another. */
export const REFUSALS = { matches: 'BadRequest|Internal|ResourceExhausted|ServiceUnavailable' } as const;

/** Those that neither the client nor the load on workers has caused; `Unknown` is an exchange that broke. */
export const FAULTS = { matches: 'Internal|ServiceUnavailable|Unknown' } as const;
