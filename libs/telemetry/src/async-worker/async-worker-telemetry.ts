import type { DispatchObserver } from '#dispatch';
import type { UpstreamCallInterceptor } from '#gateway';
import type { TracingSdk } from '../otel-sdk.ts';
import { QueueGauges } from '../queue-gauges.ts';
import { QueueWatch } from '../queue-watch.ts';
import type { QueueSource } from '../queue-watch.ts';
import { Tracing } from '../tracing.ts';
import type { AsyncWorkerMetrics } from './async-worker-metrics.ts';
import { DispatchTelemetry } from './dispatch-telemetry.ts';
import { DispatchTracing } from './dispatch-tracing.interceptor.ts';

/** What an async worker is watched with. */
export interface AsyncWorkerTelemetry {
  readonly observer: DispatchObserver;
  readonly interceptors: readonly UpstreamCallInterceptor[];
  /** Shows what lies in the queues, until it is closed. */
  readonly watchQueues: (source: QueueSource, queues: readonly string[]) => QueueWatch;
}

/** @param tracer undefined when tracing is off: calls are not looked at then, and the trace context of an envelope goes on unchanged */
export function asyncWorkerTelemetry(
  metrics: AsyncWorkerMetrics,
  tracer: TracingSdk['tracer'] | undefined,
): AsyncWorkerTelemetry {
  const tracing = new Tracing(tracer);
  const { on } = metrics;
  const gauges = new QueueGauges({
    depth: on.queueDepth,
    oldest: on.queueOldest,
    deadline: on.queueDeadline,
    leased: on.queueLeased,
    retrying: on.queueRetrying,
    deadLetters: on.queueDeadLetters,
  });
  return {
    observer: new DispatchTelemetry(metrics, tracing),
    interceptors: tracer === undefined ? [] : [new DispatchTracing(tracing)],
    watchQueues: (source, queues) =>
      QueueWatch.start(source, queues, gauges, {
        told: (isUp) => {
          on.redisUp.set([], isUp ? 1 : 0);
        },
      }),
  };
}
