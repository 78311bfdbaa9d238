import type { Candidate } from './candidate.ts';
import type { Screener } from './plugin.ts';
import { PluginFailure } from './plugin-failure.ts';
import type { Named } from './scheduling-profile.ts';
import { SchedulingError } from './scheduling.error.ts';
import type { SchedulingRequest } from './scheduling-request.ts';

/**
 * Those of the candidates that every screener leaves (`epp.md` 2, step 8).
 * @throws SchedulingError with ServiceUnavailable when nobody is left, or as a screener turns the request away
 * @throws PluginFailure for anything else that a screener throws
 */
export function screened(
  request: SchedulingRequest,
  all: readonly Candidate[],
  screeners: readonly Named<Screener>[],
): readonly Candidate[] {
  return screeners.reduce((candidates, screener) => {
    const left = leftBy(screener, request, candidates);
    if (left.length > 0) return left;
    const message = `screeners eliminated all endpoint candidates: ${screener.name}`;
    throw new SchedulingError('ServiceUnavailable', message, 'rejected-no-endpoints');
  }, all);
}

function leftBy(
  { name, plugin }: Named<Screener>,
  request: SchedulingRequest,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  try {
    return plugin.screen(request, candidates);
  } catch (error) {
    throw error instanceof SchedulingError ? error : new PluginFailure(name, error);
  }
}
