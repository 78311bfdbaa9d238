import type { DisaggObserver, ResolverEvent } from '#disaggregation';
import type { UpstreamCallInterceptor } from '#gateway';
import { Tracing } from '../tracing.ts';
import type { TracingSdk } from '../otel-sdk.ts';
import type { SidecarMetrics } from './sidecar-metrics.ts';
import { SidecarObserver } from './sidecar-observer.ts';
import type { Connectors, RunningTraces } from './sidecar-observer.ts';
import { StageTracing } from './stage-tracing.interceptor.ts';

/** What a decode sidecar is watched with. */
export interface SidecarTelemetry {
  readonly observer: DisaggObserver;
  readonly interceptors: readonly UpstreamCallInterceptor[];
  readonly onResolverEvent: (event: ResolverEvent) => void;
}

/** @param tracer undefined when tracing is off: calls are not looked at then, and a client's trace context goes on unchanged */
export function sidecarTelemetry(
  metrics: SidecarMetrics,
  tracer: TracingSdk['tracer'] | undefined,
  connectors: Connectors,
): SidecarTelemetry {
  const tracing = new Tracing(tracer);
  const traces: RunningTraces = new WeakMap();
  const resolver = {
    reresolve: metrics.on.reresolved,
    ip_changed: metrics.on.ipChanged,
    lookup_failure: metrics.on.lookupFailures,
  };
  return {
    observer: new SidecarObserver(metrics, tracing, traces, connectors),
    interceptors: tracer === undefined ? [] : [new StageTracing(tracing, traces)],
    onResolverEvent: (event) => {
      resolver[event].add([]);
    },
  };
}
