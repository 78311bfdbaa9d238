import { SchedulingError } from '#scheduling';

/** A short stable word for what went wrong: the code of a refusal, or else the error's own name. */
export function errorType(error: Error): string {
  return error instanceof SchedulingError ? error.code : error.name;
}
