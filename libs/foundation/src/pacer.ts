import { setImmediate as nextTurn } from 'node:timers/promises';

/** Steps between two looks at the clock. */
const STEPS = 256;
/** Longest stretch of work without a rest, in milliseconds. */
const STRETCH = 4;

/** Keeps a long loop from holding the event loop: `if (pacer.isDue()) await pacer.rest()` once a step. */
export class Pacer {
  private steps = 0;
  private since = performance.now();

  isDue(): boolean {
    if (++this.steps % STEPS !== 0) return false;
    return performance.now() - this.since > STRETCH;
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
