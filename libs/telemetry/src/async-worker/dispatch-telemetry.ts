import { SpanKind } from '@opentelemetry/api';
import { DispatchObserver } from '#dispatch';
import type { Dispatch, DispatchEnd, DispatchOutcome } from '#dispatch';
import { errorLabel, statusLabel } from '../error-label.ts';
import { traceHeaders } from '../request-trace.ts';
import type { RequestTrace } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { endAttributes, messageAttributes } from './async-worker-attributes.ts';
import type { AsyncWorkerMetrics } from './async-worker-metrics.ts';
import { DispatchCounts } from './dispatch-counts.ts';
import { logEnd } from './dispatch-log.ts';

/** Around each message that a worker holds: a span, whose ids go with the request, and its counts. */
export class DispatchTelemetry extends DispatchObserver {
  constructor(
    private readonly metrics: AsyncWorkerMetrics,
    private readonly tracing: Tracing,
  ) {
    super();
  }

  began(queues: readonly string[]): void {
    this.metrics.startAtZero(queues);
  }

  async around(dispatch: Dispatch, next: () => Promise<DispatchEnd>): Promise<DispatchEnd> {
    const name = `process ${dispatch.queue}`;
    const trace = this.tracing.begin(dispatch, name, messageAttributes(dispatch), SpanKind.CONSUMER);
    if (trace !== undefined) dispatch.trace = traceHeaders(trace.ids, dispatch.trace);
    const startedAt = performance.now();
    const counts = new DispatchCounts(this.metrics, dispatch, trace?.server && trace.ids.traceId);
    try {
      const end = await next();
      const elapsed = performance.now() - startedAt;
      counts.ended(end, elapsed);
      logEnd(dispatch, end, trace, elapsed);
      endSpan(trace, end);
      return end;
    } catch (error) {
      counts.broke();
      failSpan(trace?.server, errorLabel(error));
      throw error;
    } finally {
      trace?.server?.end();
    }
  }

  recovered(queue: string, why: 'lease' | 'retry', count: number): void {
    this.metrics.on.recovered.add([queue, why], count);
  }

  commandFailed(command: string, reason: string): void {
    this.metrics.on.redisErrors.add([command, reason]);
  }
}

function endSpan(trace: RequestTrace | undefined, end: DispatchEnd): void {
  const span = trace?.server;
  if (span === undefined) return;
  span.setAttributes(endAttributes(end));
  const failure = failureOf(end);
  if (failure !== undefined) failSpan(span, failure);
}

/** Ends with which nothing went wrong, such as a client's giving the request up. */
const WELL: ReadonlySet<DispatchOutcome> = new Set(['cancelled', 'delayed', 'returned']);

const FAILED: Partial<Record<DispatchOutcome, string>> = { expired: 'deadline_exceeded', lost: 'lease_lost' };

/** Why it did not go well, in one word. */
function failureOf({ outcome, status = 0, failure, reason }: DispatchEnd): string | undefined {
  if (WELL.has(outcome)) return undefined;
  return FAILED[outcome] ?? reason ?? failure ?? (status >= 400 ? statusLabel(status) : undefined);
}
