import type { LoggerService } from '@nestjs/common';
import { pino } from 'pino';
import type { DestinationStream, Logger as Pino } from 'pino';
import { LogVerbosity, SEVERITIES } from './log-level.ts';
import type { SeverityName } from './log-level.ts';
import { requestContext } from './request-context.ts';
import { requestIds } from './request-summary.ts';

/** Every severity is let through by pino; what is shown is decided before a line is made. */
const PINO_LEVELS = { trace: 10, debug: 20, verbose: 25, info: 30, warn: 40, error: 50, fatal: 60 } as const;

/** What Nest says of its own start, in some twenty lines. */
const FRAMEWORK: ReadonlySet<string> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/**
 * Nest's logger: one JSON object a line, in OpenTelemetry's names. Called as `logger.warn({field: 1}, 'message')` or
 * `logger.warn('message')`; Nest adds the context, which is the `logger` field.
 * @see coordinator.md F.3
 */
export class JsonLogger implements LoggerService {
  readonly verbosity: LogVerbosity;
  private readonly pino: Pino<keyof typeof PINO_LEVELS>;

  /** @param verbosity 1 to 5 */
  constructor(
    verbosity: number,
    serviceName: string,
    destination: DestinationStream = pino.destination({ fd: 1, sync: true }),
  ) {
    this.verbosity = new LogVerbosity(verbosity);
    this.pino = pino(
      {
        base: null,
        messageKey: 'body',
        level: 'trace',
        customLevels: PINO_LEVELS,
        useOnlyCustomLevels: true,
        timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
        formatters: {
          level: (label) => {
            const { text, number } = SEVERITIES[isSeverity(label) ? label : 'info'];
            return { severity_text: text, severity_number: number, 'service.name': serviceName };
          },
        },
        serializers: { err: describeError },
        mixin: requestFields,
      },
      destination,
    );
  }

  log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    this.write(typeof context === 'string' && FRAMEWORK.has(context) ? 'trace' : 'info', message, rest);
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('verbose', message, rest);
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  private write(severity: SeverityName, message: unknown, rest: readonly unknown[]): void {
    if (!this.verbosity.shows(severity)) return;
    const context = rest.at(-1);
    const logger = typeof context === 'string' ? { logger: context } : {};
    if (typeof message === 'object' && message !== null) {
      // Nest puts undefined in the place of a message that is not given; an error then speaks for itself
      const text = rest.length > 1 && typeof rest[0] === 'string' ? rest[0] : undefined;
      this.pino[severity]({ ...logger, ...withError(message) }, text);
    } else {
      this.pino[severity](logger, String(message));
    }
  }
}

/** The request that a line is about, where it is said from inside one. */
function requestFields(): object {
  const record = requestContext.getStore();
  if (record === undefined) return {};
  return requestIds(record);
}

function isSeverity(label: string): label is SeverityName {
  return label in SEVERITIES;
}

function withError(fields: object): object {
  return fields instanceof Error ? { err: fields } : fields;
}

/** An error as fields. Messages are safe by construction (`#foundation`); a stack holds code, not content. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error ? { code: error.code } : {};
  const cause = error.cause === undefined ? {} : { cause: describeError(error.cause) };
  return { type: error.name, message: error.message, ...code, stack: error.stack, ...cause };
}
