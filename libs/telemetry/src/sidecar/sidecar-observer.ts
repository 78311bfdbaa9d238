import { DisaggObserver } from '#disaggregation';
import type { DisaggArrival, DisaggWatch } from '#disaggregation';
import type { RequestScope } from '#protocol';
import type { RequestTrace } from '../request-trace.ts';
import { ATTRIBUTES } from '../attributes.ts';
import type { Tracing } from '../tracing.ts';
import { RequestCounts } from './request-counts.ts';
import { SIDECAR_ATTRIBUTES as NAME } from './sidecar-attributes.ts';
import type { SidecarMetrics } from './sidecar-metrics.ts';
import { WatchedRequest } from './watched-request.ts';

/** The traces of the requests that run, for whoever sees their calls. */
export type RunningTraces = WeakMap<RequestScope, RequestTrace>;

/** `--kv-connector` and `--ec-connector`; the latter may be empty. */
export interface Connectors {
  readonly kv: string;
  readonly ec: string;
}

/** Counts, traces and logs every request of a decode sidecar (`sidecar.md` 12). */
export class SidecarObserver extends DisaggObserver {
  constructor(
    private readonly metrics: SidecarMetrics,
    private readonly tracing: Tracing,
    private readonly traces: RunningTraces,
    private readonly connectors: Connectors,
  ) {
    super();
  }

  begin(arrival: DisaggArrival): DisaggWatch {
    const trace = this.traceOf(arrival);
    if (trace !== undefined) this.traces.set(arrival.scope, trace);
    const traceId = trace?.server && trace.ids.traceId;
    const counts = new RequestCounts(this.metrics, arrival.apiType ?? 'passthrough', traceId);
    return new WatchedRequest(arrival, trace, counts);
  }

  private traceOf({ scope, method, path, apiType, rank }: DisaggArrival): RequestTrace | undefined {
    const common = { [ATTRIBUTES.method]: method, [NAME.requestId]: scope.id, [NAME.rank]: rank };
    if (apiType === undefined) {
      // the endpoint picker asks for metrics many times a second
      const isTraced = scope.trace.traceparent !== undefined;
      return isTraced ? this.tracing.begin(scope, `llm_d.pd_proxy.${method}`, common) : undefined;
    }
    const { kv, ec } = this.connectors;
    return this.tracing.begin(scope, `llm_d.pd_proxy.${method} ${path}`, {
      ...common,
      [ATTRIBUTES.route]: path,
      [NAME.apiType]: apiType,
      [NAME.kvConnector]: kv,
      ...(ec === '' ? {} : { [NAME.ecConnector]: ec }),
    });
  }
}
