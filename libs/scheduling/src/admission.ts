import type { Candidate } from './candidate.ts';
import type { SaturationDetector } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/** Below this priority a request may be shed. */
const SHEDDABLE = 0;

/**
 * Lets a request pass, unless it may be shed and the candidates are full (`epp.md` 9).
 * @throws SchedulingError with ResourceExhausted
 */
export function admit(
  { priority }: Pick<SchedulingRequest, 'priority'>,
  detector: SaturationDetector,
  candidates: readonly Candidate[],
): void {
  if (priority >= SHEDDABLE || detector.saturation(candidates) < 1) return;
  const message = 'system saturated, sheddable request dropped';
  throw new SchedulingError('ResourceExhausted', message, 'rejected-saturated');
}
