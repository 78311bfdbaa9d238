import type { ProfileResult, ProfileResults, SchedulingResult } from '../plugin.ts';
import { NoTargetError, SchedulingError } from '../scheduling.error.ts';

/**
 * The result whose primary profile is that one, with all others that found an endpoint.
 * @param message what is said when the primary profile found none, joined with what kept the profiles from it
 * @throws SchedulingError then, with the code of the first typed error
 * @throws NoTargetError where there is no typed one
 */
export function concludeWith(
  primary: string,
  results: ProfileResults,
  errors: readonly Error[],
  message: string,
): SchedulingResult {
  if (results.get(primary) === undefined) throw failure(message, errors);
  const profiles = new Map<string, ProfileResult>();
  for (const [name, result] of results) if (result !== undefined) profiles.set(name, result);
  return { primary, profiles };
}

function failure(message: string, errors: readonly Error[]): Error {
  const text = [message, ...errors.map((error) => error.message)].join('\n');
  const typed = errors.find((error) => error instanceof SchedulingError);
  return typed === undefined ? new NoTargetError(text) : new SchedulingError(typed.code, text, typed.droppedReason);
}
