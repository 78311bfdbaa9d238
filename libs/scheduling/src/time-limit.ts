import { setTimeout as delay } from 'node:timers/promises';

/** Something was not done in its time. */
export class TimeLimitError extends Error {
  constructor(ms: number) {
    super(`it took longer than ${ms} ms`);
    this.name = 'TimeLimitError';
  }
}

/**
 * Waits for work that takes time, no longer than it may take. What is done at once sets no timer.
 * @param outer ends the wait, too, when it is aborted
 * @param start is given a signal that is aborted when nobody waits any more
 * @throws TimeLimitError when the time is over; the reason of `outer`; whatever the work throws
 */
export async function withinTime(
  ms: number,
  outer: AbortSignal | undefined,
  start: (signal: AbortSignal) => Promise<void> | void,
): Promise<void> {
  outer?.throwIfAborted();
  const ours = new AbortController();
  const signal = outer === undefined ? ours.signal : AbortSignal.any([outer, ours.signal]);
  try {
    const work = start(signal);
    if (work !== undefined) await Promise.race([work, limit(ms, signal)]);
  } finally {
    ours.abort(OVER);
  }
}

/** One for all: making one takes as long as a plugin does. */
const OVER = new Error('nobody waits for it any more');

async function limit(ms: number, signal: AbortSignal): Promise<never> {
  await delay(ms, undefined, { signal, ref: false });
  throw new TimeLimitError(ms);
}
