import { ConfigError } from '#config';

/**
 * Ends a program that could not start, or cannot go on: says why and exits 1. Of a configuration all problems, of anything else the
 * stack.
 */
export function exitFailed(error: unknown): never {
  process.stderr.write(`${textOf(error)}\n`);
  process.exit(1);
}

function textOf(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
