import type { Dispatch, DispatchEnd, DispatchOutcome } from '#dispatch';
import { statusResult } from './async-worker-label-values.ts';
import type { AsyncWorkerMetrics } from './async-worker-metrics.ts';

/** A message that was put back as it was: it is taken again, as if for the first time. */
const PUT_BACK: ReadonlySet<DispatchOutcome> = new Set(['delayed', 'returned']);

/** What the metrics are told of one message, from taking to letting go. */
export class DispatchCounts {
  /** @param traceId of a sampled trace, which then stands as an exemplar */
  constructor(
    private readonly metrics: AsyncWorkerMetrics,
    private readonly dispatch: Dispatch,
    private readonly traceId: string | undefined,
  ) {
    metrics.on.inFlight.add([dispatch.queue], 1);
  }

  /** @param elapsed milliseconds that it was held */
  ended(end: DispatchEnd, elapsed: number): void {
    const { on } = this.metrics;
    const { queue, attempt, waited } = this.dispatch;
    const { outcome, reason, delay } = end;
    on.inFlight.add([queue], -1);
    on.messages.add([queue, outcome]);
    if (reason !== undefined) on.deadLetters.add([queue, reason]);
    if (delay !== undefined && outcome === 'retried') on.retryDelay.observe([queue], delay / 1000, this.traceId);
    if (waited !== undefined && attempt === 1 && !PUT_BACK.has(outcome)) {
      on.wait.observe([queue], Math.max(0, waited), this.traceId);
    }
    this.called(end, elapsed / 1000);
  }

  /** Nothing is known of how it ended. */
  broke(): void {
    this.metrics.on.inFlight.add([this.dispatch.queue], -1);
  }

  /** A message that was settled without a call has no duration. @param elapsed seconds */
  private called(end: DispatchEnd, elapsed: number): void {
    if (!wasCalled(end)) return;
    const { outcome, status, failure } = end;
    const { on } = this.metrics;
    const { queue, waited } = this.dispatch;
    on.tries.add([queue, status === undefined ? this.metrics.failure(failure ?? '') : statusResult(status)]);
    on.tryDuration.observe([queue], elapsed, this.traceId);
    if (outcome !== 'delivered' || waited === undefined) return;
    on.turnaround.observe([queue], Math.max(0, waited) + elapsed, this.traceId);
  }
}

/** Whether the coordinator was called; what is wrong with an envelope is told as a failure, too. */
function wasCalled({ status, failure, reason }: DispatchEnd): boolean {
  return status !== undefined || (failure !== undefined && reason !== 'invalid_envelope');
}
