import type { StepOutcome } from '#pipeline';

/** Calls back when a step's work is over: at once, or when the last byte of the answer that it gave has passed. */
export function observeBodyEnd(outcome: StepOutcome, onEnd: (error: Error | undefined) => void): void {
  const body = outcome.kind === 'respond' ? outcome.response.body : undefined;
  if (body === undefined || !('pipe' in body)) return onEnd(undefined);
  body.observe({ end: onEnd });
}
