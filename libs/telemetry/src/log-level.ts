/** Verbosity as configured: 1 warning, 2 info, 3 verbose, 4 debug, 5 trace (`coordinator.md` F.3). */
export type Verbosity = 1 | 2 | 3 | 4 | 5;

/** What a line says of itself: OpenTelemetry's severity. */
export interface Severity {
  readonly text: string;
  readonly number: number;
  /** The lowest verbosity that shows it. */
  readonly shownFrom: number;
}

export const SEVERITIES = {
  fatal: { text: 'FATAL', number: 21, shownFrom: 0 },
  error: { text: 'ERROR', number: 17, shownFrom: 0 },
  warn: { text: 'WARN', number: 13, shownFrom: 1 },
  info: { text: 'INFO', number: 9, shownFrom: 2 },
  verbose: { text: 'DEBUG', number: 5, shownFrom: 3 },
  debug: { text: 'DEBUG', number: 5, shownFrom: 4 },
  trace: { text: 'DEBUG', number: 5, shownFrom: 5 },
} as const satisfies Record<string, Severity>;

export type SeverityName = keyof typeof SEVERITIES;

/** The verbosity of the process, which may change while it runs. Who would make a line that nobody sees can ask first. */
export class LogVerbosity {
  /** @param current 1 to 5 */
  constructor(public current: number) {}

  shows(severity: SeverityName): boolean {
    return this.current >= SEVERITIES[severity].shownFrom;
  }
}
