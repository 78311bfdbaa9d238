import type { LoggerService } from '@nestjs/common';
import { environment } from '#config';

const DEFAULT_PORT = 8998;

/** `SGLANG_BOOTSTRAP_PORT`; a value that is no port is said so and the default stands (`coordinator.md` D.1). */
export function configuredBootstrapPort(logger: Pick<LoggerService, 'error'>): number {
  const port = bootstrapPort(environment()['SGLANG_BOOTSTRAP_PORT'] ?? '');
  if (port !== undefined) return port;
  logger.error('SGLANG_BOOTSTRAP_PORT is not a port from 1 to 65535, using 8998');
  return DEFAULT_PORT;
}

/** The port that the text names, the default for an empty one, undefined for anything else. */
export function bootstrapPort(value: string): number | undefined {
  if (value === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
