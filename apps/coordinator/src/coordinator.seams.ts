import type { DynamicModule, Provider } from '@nestjs/common';
import { BrokerObserver, NoBrokerObserver } from '#broker';
import { UPSTREAM_CALL_INTERCEPTORS } from '#gateway';
import { NoRequestObserver, PIPELINE_INTERCEPTORS, RequestObserver } from '#pipeline';
import type { PipelineInterceptors } from '#pipeline';
import { MEDIA_INTERCEPTORS } from '#steps';
import {
  MediaTelemetry,
  PipelineTelemetry,
  RequestTelemetry,
  StepLogging,
  StepMetrics,
  StepTracing,
  TelemetryModule,
  UpstreamLogging,
  UpstreamMetrics,
  UpstreamTracing,
} from '#telemetry';
import type { TelemetryParts } from '#telemetry';
import { BrokerTelemetry } from '#telemetry/broker';

/** Who looks in at the seams: around a request, its pipeline and steps, each call, each download, the queue. Outermost first. */
export interface Seams {
  readonly imports: readonly DynamicModule[];
  readonly requests: Provider & { provide: typeof RequestObserver };
  readonly pipeline: Provider & { provide: typeof PIPELINE_INTERCEPTORS };
  readonly calls: Provider & { provide: typeof UPSTREAM_CALL_INTERCEPTORS };
  readonly media: Provider & { provide: typeof MEDIA_INTERCEPTORS };
  readonly broker: Provider & { provide: typeof BrokerObserver };
}

const NO_INTERCEPTORS: PipelineInterceptors = { pipeline: [], step: [] };

/** Nobody looks. */
export const UNOBSERVED: Seams = {
  imports: [],
  requests: { provide: RequestObserver, useClass: NoRequestObserver },
  pipeline: { provide: PIPELINE_INTERCEPTORS, useValue: NO_INTERCEPTORS },
  calls: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: [] },
  media: { provide: MEDIA_INTERCEPTORS, useValue: [] },
  broker: { provide: BrokerObserver, useClass: NoBrokerObserver },
};

/** Telemetry at every seam. */
export function observed(parts: TelemetryParts): Seams {
  return {
    imports: [TelemetryModule.register(parts, [BrokerTelemetry])],
    requests: { provide: RequestObserver, useExisting: RequestTelemetry },
    pipeline: {
      provide: PIPELINE_INTERCEPTORS,
      inject: [PipelineTelemetry, StepTracing, StepMetrics, StepLogging],
      useFactory: (
        pipeline: PipelineTelemetry,
        tracing: StepTracing,
        metrics: StepMetrics,
        logging: StepLogging,
      ): PipelineInterceptors => ({ pipeline: [pipeline], step: [tracing, metrics, logging] }),
    },
    calls: {
      provide: UPSTREAM_CALL_INTERCEPTORS,
      inject: [UpstreamTracing, UpstreamMetrics, UpstreamLogging],
      useFactory: (tracing: UpstreamTracing, metrics: UpstreamMetrics, logging: UpstreamLogging) => [
        tracing,
        metrics,
        logging,
      ],
    },
    media: {
      provide: MEDIA_INTERCEPTORS,
      inject: [MediaTelemetry],
      useFactory: (media: MediaTelemetry<never>) => [media],
    },
    broker: { provide: BrokerObserver, useExisting: BrokerTelemetry },
  };
}
