import { Module } from '@nestjs/common';
import type { DynamicModule, Type } from '@nestjs/common';
import { FlightRecorder } from './flight-recorder.ts';
import { LogVerbosity } from './log-level.ts';
import { MediaTelemetry } from './media-telemetry.interceptor.ts';
import { Metrics } from './metrics.ts';
import { PipelineTelemetry } from './pipeline-telemetry.interceptor.ts';
import { RequestRecords } from './request-record.ts';
import { RequestTelemetry } from './request-telemetry.ts';
import { StepLogging } from './step-logging.interceptor.ts';
import { StepMetrics } from './step-metrics.interceptor.ts';
import { StepTracing } from './step-tracing.interceptor.ts';
import { Tracing } from './tracing.ts';
import { UpstreamLogging } from './upstream-logging.interceptor.ts';
import { UpstreamMetrics } from './upstream-metrics.interceptor.ts';
import { UpstreamTracing } from './upstream-tracing.interceptor.ts';

/** What telemetry is made of; the process has one of each. */
export interface TelemetryParts {
  readonly metrics: Metrics;
  readonly recorder: FlightRecorder;
  readonly tracing: Tracing;
  /** Which lines are shown; all may be where it is not given. */
  readonly verbosity?: LogVerbosity;
}

const OBSERVERS = [
  RequestTelemetry,
  PipelineTelemetry,
  StepTracing,
  StepMetrics,
  StepLogging,
  UpstreamTracing,
  UpstreamMetrics,
  UpstreamLogging,
  MediaTelemetry,
];

@Module({})
export class TelemetryModule {
  /** @param further observers of parts that not every program has */
  static register(parts: TelemetryParts, further: readonly Type[] = []): DynamicModule {
    const { metrics, recorder, tracing, verbosity = new LogVerbosity(5) } = parts;
    const observers = [...OBSERVERS, ...further];
    return {
      module: TelemetryModule,
      providers: [
        { provide: Metrics, useValue: metrics },
        { provide: FlightRecorder, useValue: recorder },
        { provide: Tracing, useValue: tracing },
        { provide: LogVerbosity, useValue: verbosity },
        RequestRecords,
        ...observers,
      ],
      exports: observers,
    };
  }
}
