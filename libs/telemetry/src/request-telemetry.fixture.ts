import { Logger } from '@nestjs/common';
import type { LoggerService } from '@nestjs/common';
import type { Tracer } from '@opentelemetry/api';
import type { RequestArrival } from '#pipeline';
import { aRequest } from '#testing';
import { FlightRecorder } from './flight-recorder.ts';
import { JsonLogger } from './logger.ts';
import { Metrics } from './metrics.ts';
import { RequestRecords } from './request-record.ts';
import { RequestTelemetry } from './request-telemetry.ts';
import { Tracing } from './tracing.ts';

/** Telemetry of requests with all that it writes to. */
export function requestTelemetry(tracer?: Tracer) {
  const metrics = new Metrics();
  const recorder = new FlightRecorder();
  const records = new RequestRecords();
  const telemetry = new RequestTelemetry(metrics, records, recorder, new Tracing(tracer));
  return { metrics, recorder, records, telemetry };
}

/** A chat request at its request line. */
export function anArrival(changes: Partial<RequestArrival> = {}): RequestArrival {
  const path = '/v1/chat/completions';
  return { scope: aRequest().scope, method: 'POST', path, route: path, ...changes };
}

/** From now on what is logged is gathered, each line as it was written. */
export function loggedLines(verbosity = 2): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => {
    // the logger writes objects
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  Logger.overrideLogger(new JsonLogger(verbosity, 'test', { write }));
  return lines;
}

/** From now on nothing is logged. */
export function silence(): void {
  const ignore = (): void => undefined;
  const nobody: LoggerService = { log: ignore, error: ignore, warn: ignore, debug: ignore, verbose: ignore };
  Logger.overrideLogger(nobody);
}

/**
 * The samples of a metric by its labels, as the exposition has them: `{model_name="m"}` → 1. Of a counter those alone that have
 * counted something: some of its series are there from the start.
 */
export async function samples(metrics: Pick<Metrics, 'registry'>, name: string): Promise<Record<string, number>> {
  const text = await metrics.registry.metrics();
  const found = text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'));
  const all = [...found].map(([, labels = '', value]) => [labels, Number(value)] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== 0 || !name.endsWith('_total')));
}
