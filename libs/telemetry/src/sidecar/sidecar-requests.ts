import type { DisaggArrival } from '#disaggregation';
import type { RequestScope } from '#protocol';
import type { RequestTrace } from '../request-trace.ts';

/** What is known of one request while it lasts. */
export interface SidecarRecord {
  readonly arrival: DisaggArrival;
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  /** Undefined when tracing is off. */
  readonly trace: RequestTrace | undefined;
  /** The engine has sent its first output. */
  firstOutput(now: number): void;
}

/** The records of the requests that run, for whoever sees their calls. */
export class SidecarRequests {
  private readonly records = new WeakMap<RequestScope, SidecarRecord>();

  keep(record: SidecarRecord): void {
    this.records.set(record.arrival.scope, record);
  }

  of(scope: RequestScope): SidecarRecord | undefined {
    return this.records.get(scope);
  }
}
