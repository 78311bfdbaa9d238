/** What is configured of the timeouts of one mode, in seconds; 0 is not set. */
export interface ConfiguredLimits {
  readonly default_seconds: number;
  readonly max_seconds: number;
}

/** Seconds to the deadline of a request that names none, and the most that one may name. */
export interface TimeoutLimits {
  readonly fallback: number;
  readonly most: number;
}

/** Defaults where nothing is set. */
export const DEFAULT_SECONDS = { enqueue: 3600, wait: 60 } as const;

/** A wait holds a connection, so it has a limit where none is configured. */
const WAIT_LIMIT = 3600;
/** What Redis and every clock can add to a time of day. */
const LARGEST = 2 ** 31 - 1;

/** The two fields fall back independently (`coordinator.md` C.9). */
export function timeoutLimits(
  timeouts: Readonly<Record<'enqueue' | 'wait', ConfiguredLimits>>,
  mode: 'enqueue' | 'wait',
): TimeoutLimits {
  const { default_seconds: ownDefault, max_seconds: ownMost } = timeouts[mode];
  const fallback = ownDefault === 0 ? DEFAULT_SECONDS[mode] : ownDefault;
  const unset = mode === 'wait' ? Math.max(WAIT_LIMIT, fallback) : LARGEST;
  return { fallback, most: Math.min(ownMost === 0 ? unset : ownMost, LARGEST) };
}
