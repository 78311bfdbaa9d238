/** What the service promises; alerts and dashboards measure against it. */
export const OBJECTIVES = {
  /** Share of requests that do not fail by a fault of the service or of what stands behind it. */
  availability: 0.999,
  /** Share of streams whose first token comes in time. `seconds` is a bucket border of the metric. */
  firstToken: { share: 0.99, seconds: 2 },
} as const;

/**
 * Errors that count against availability: nobody but the platform could have avoided them. Requests that are malformed or refused,
 * and clients that leave, do not count.
 */
export const FAULTS = { matches: 'upstream_5xx|upstream_transport|internal' } as const;

/** Seconds: a queued request that has less left, and has waited longer, is about to miss its deadline for want of capacity. */
export const NEAR_DEADLINE = 60;
