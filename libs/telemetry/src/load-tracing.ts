import { Logger } from '@nestjs/common';
import type { TracingSdk } from './otel-sdk.ts';

/**
 * Starts span export where it is on. The SDK is loaded only then: it is large, and a process without tracing should not pay for it.
 * @returns undefined when it is off, or could not start: a service goes on without its traces
 */
export async function loadTracing(isOn: boolean, version: string): Promise<TracingSdk | undefined> {
  if (!isOn) return undefined;
  const logger = new Logger('tracing');
  try {
    const { startTracing } = await import('./otel-sdk.ts');
    return startTracing(version, (message) => {
      logger.warn(message);
    });
  } catch (error) {
    logger.error({ err: error }, 'tracing could not start, going on without');
    return undefined;
  }
}
