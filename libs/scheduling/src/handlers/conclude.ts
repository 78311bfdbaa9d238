import type { ProfileResult, ProfileResults, SchedulingResult } from '../plugin.ts';
import { SchedulingError } from '../scheduling.error.ts';

/**
 * The result whose primary profile is that one, with all others that found an endpoint.
 * @param message what is said when the primary profile found none
 * @throws SchedulingError then, with the code of what kept it from it
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

function failure(message: string, errors: readonly Error[]): SchedulingError {
  const text = [message, ...errors.map((error) => error.message)].join('\n');
  const typed = errors.find((error) => error instanceof SchedulingError);
  return new SchedulingError(typed?.code ?? 'ResourceExhausted', text, typed?.droppedReason);
}
