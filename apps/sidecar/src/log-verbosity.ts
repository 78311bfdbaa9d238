/** Upstream counts on from info, which is 0; what lies between info and debug is shown as `verbose`. */
const NAMED: Readonly<Record<string, number>> = { panic: 1, error: 1, warn: 1, info: 2, debug: 4 };

/** The verbosity of the logger, 1 to 5, for what `--zap-log-level` says; undefined for what is no level. */
export function logVerbosity(level: string): number | undefined {
  const named = NAMED[level.trim().toLowerCase()];
  if (named !== undefined) return named;
  return /^\d{1,3}$/.test(level) ? Math.min(5, Math.max(2, Number(level))) : undefined;
}
