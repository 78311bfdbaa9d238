import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work that may rest wherever it yields; between two yields it takes microseconds. */
export type Steps<Result> = Generator<undefined, Result>;

/** Longest stretch of work without a rest, in milliseconds. */
const STRETCH = 4;

/** Does the work: at once where it is short, or else over several turns of the event loop. */
export function paced<Result>(steps: Steps<Result>): Result | Promise<Result> {
  const step = stretch(steps);
  return step.done === true ? step.value : pacedLater(steps);
}

/** Does the work, none of it at once. */
export async function pacedLater<Result>(steps: Steps<Result>): Promise<Result> {
  for (;;) {
    await nextTurn();
    const step = stretch(steps);
    if (step.done === true) return step.value;
  }
}

function stretch<Result>(steps: Steps<Result>): IteratorResult<undefined, Result> {
  const until = performance.now() + STRETCH;
  for (;;) {
    const step = steps.next();
    if (step.done === true || performance.now() > until) return step;
  }
}
