/** What the async worker promises; its alerts and its dashboard measure against it. */
export const ASYNC_WORKER_OBJECTIVES = {
  /** Share of requests whose deadline may be over before there is an answer. */
  expired: 0.05,
  /** Share of calls that may come to nothing and be made again. */
  retried: 0.5,
} as const;

/** The end of a request that its client gets no answer of a worker for. */
export const UNANSWERED = { matches: 'expired|dead' } as const;

/** How a request ends for its client, one that gives it up aside. */
export const SETTLED = { matches: 'delivered|expired|dead' } as const;

/** How calls end, those that are given up aside. */
export const CALLED = { matches: 'delivered|retried|dead' } as const;
