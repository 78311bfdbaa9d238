import { SpanKind } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { BrokerError, BrokerObserver } from '#broker';
import type { BrokerCall, BrokerMode, BrokerOperation, HoldOutcome, QuotaOutcome, SubmissionOutcome } from '#broker';
import { ATTRIBUTES } from '../attributes.ts';
import { errorLabel } from '../error-label.ts';
import { ASYNC_MODES, ASYNC_QUOTA, ASYNC_SUBMISSIONS } from '../label-values.ts';
import { Metrics } from '../metrics.ts';
import { RequestRecords } from '../request-record.ts';
import { traceHeaders } from '../request-trace.ts';
import type { RequestTrace } from '../request-trace.ts';
import { Tracing, failSpan } from '../tracing.ts';

/** Around what the async broker does at Redis: a span for each operation, whose ids go with the request, and its counts. */
@Injectable()
export class BrokerTelemetry extends BrokerObserver {
  constructor(
    private readonly metrics: Metrics,
    private readonly records: RequestRecords,
    private readonly tracing: Tracing,
  ) {
    super();
  }

  /** A rate does not see a series' first event when it brings the series along. */
  began(): void {
    const { on } = this.metrics;
    for (const mode of ASYNC_MODES)
      for (const outcome of ASYNC_SUBMISSIONS) on.asyncSubmissions.add([mode, outcome], 0);
    for (const outcome of ASYNC_QUOTA) on.asyncQuota.add([outcome], 0);
  }

  async around<Result>(call: BrokerCall, next: () => Promise<Result>): Promise<Result> {
    const spans = this.records.of(call.scope)?.trace;
    if (spans === undefined) return next();
    const span = this.span(call.operation, spans);
    call.trace = traceHeaders(span?.spanContext() ?? spans.ids, call.scope.trace);
    try {
      return await next();
    } catch (error) {
      failSpan(span, error instanceof BrokerError ? error.failure : errorLabel(error));
      throw error;
    } finally {
      span?.end();
    }
  }

  submitted(mode: BrokerMode | 'unknown', outcome: SubmissionOutcome): void {
    this.metrics.on.asyncSubmissions.add([mode, outcome]);
  }

  classified(outcome: QuotaOutcome): void {
    this.metrics.on.asyncQuota.add([outcome]);
  }

  held(): (outcome: HoldOutcome) => void {
    const { on } = this.metrics;
    const since = performance.now();
    on.asyncHeld.add([], 1);
    return (outcome) => {
      on.asyncHeld.add([], -1);
      on.asyncHoldDuration.observe([outcome], (performance.now() - since) / 1000);
    };
  }

  commandFailed(command: string, failure: string): void {
    this.metrics.on.asyncRedisErrors.add([command, failure]);
  }

  private span(operation: BrokerOperation, spans: RequestTrace): Span | undefined {
    const parent = spans.stepContext ?? spans.pipelineContext ?? spans.serverContext;
    return spans.server && this.tracing.span(operation, SpanKind.CLIENT, parent, { [ATTRIBUTES.phase]: operation });
  }
}
