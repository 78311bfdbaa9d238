/** What the decode sidecar promises; its alerts and its dashboard measure against it. */
export const SIDECAR_OBJECTIVES = {
  /** Seconds to the first token that nineteen of twenty streams are within, remote stages included; a bucket border of the metric. */
  firstToken: 2.5,
  /** Share of a stage's calls that may fail by a fault of its workers. */
  stageFaults: 0.02,
} as const;

/** Failures that neither the client has caused nor the end of the process. */
export const STAGE_FAULTS = {
  matches: 'status_3xx|status_5xx|refused|reset|timeout|invalid_answer|malformed_target',
} as const;

/** Prefill ran, and told decode nothing of its blocks. */
export const LOST_HANDOVER = { matches: 'no_kv_params|kv_params_not_object' } as const;
