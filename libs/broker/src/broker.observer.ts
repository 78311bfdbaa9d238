import type { RequestScope, TraceContext } from '#protocol';

/** What was asked for by the mode header. */
export type BrokerMode = 'passthrough' | 'enqueue' | 'wait';

/**
 * What became of a request that asked for a mode. `reattached`: its id names one that is queued or done; `failed`: Redis could not
 * take it.
 */
export type SubmissionOutcome = 'forwarded' | 'queued' | 'reattached' | 'refused' | 'failed';

/** How a held request ended. */
export type HoldOutcome = 'delivered' | 'pending' | 'deadline' | 'client_closed' | 'drained';

/** How a request stands to its tenant's quota; `unknown`: Redis could not tell, and it counts as reserved. */
export type QuotaOutcome = 'reserved' | 'overflow' | 'unknown';

/** What is done at Redis for one request, as spans name it. */
export type BrokerOperation = 'enqueue' | 'lookup' | 'cancel';

/** One operation. */
export interface BrokerCall {
  readonly scope: RequestScope;
  readonly operation: BrokerOperation;
  /** What goes along with the request. An observer that makes a span sets the span's own before it calls `next`. */
  trace: TraceContext;
}

/** Port: told of what the broker does. Telemetry comes in here. */
export abstract class BrokerObserver {
  /** The broker is in use. */
  abstract began(): void;
  abstract around<Result>(call: BrokerCall, next: () => Promise<Result>): Promise<Result>;
  abstract submitted(mode: BrokerMode | 'unknown', outcome: SubmissionOutcome): void;
  abstract classified(outcome: QuotaOutcome): void;
  /** A request is held from now on. @returns to be called when it is not any more */
  abstract held(): (outcome: HoldOutcome) => void;
  /** @param reason a short word: the server's own error code, or `offline`, `timeout`, `closed` */
  abstract commandFailed(command: string, reason: string): void;
}

/** Watches nothing. */
export class NoBrokerObserver extends BrokerObserver {
  began(): void {}
  around<Result>(_call: BrokerCall, next: () => Promise<Result>): Promise<Result> {
    return next();
  }
  submitted(): void {}
  classified(): void {}
  held(): () => void {
    return () => undefined;
  }
  commandFailed(): void {}
}
