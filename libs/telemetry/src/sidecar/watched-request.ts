import { Logger } from '@nestjs/common';
import type { DisaggArrival, DisaggFacts, DisaggWatch, Stage, StageEnd, StageWatch } from '#disaggregation';
import type { CoordinatorError } from '#foundation';
import type { ClientResponse, ReplyFacts } from '#pipeline';
import { ATTRIBUTES } from '../attributes.ts';
import { errorLabel, statusLabel } from '../error-label.ts';
import { rounded } from '../request-summary.ts';
import type { RequestTrace } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import { onFirstOutput } from './first-output.ts';
import type { RequestCounts } from './request-counts.ts';
import { SIDECAR_ATTRIBUTES as NAME, factAttributes } from './sidecar-attributes.ts';

/** A stage that was given up because another one failed. */
const CALLED_OFF = 'called_off';

/** Follows one request: what is counted of it, its span, its line in the log. */
export class WatchedRequest implements DisaggWatch {
  private static readonly logger = new Logger('request');
  private readonly startedAt = performance.now();
  private facts: DisaggFacts = {};
  /** Milliseconds. */
  private readonly stages: Partial<Record<Stage, number>> = {};
  private firstOutputAfter: number | undefined;
  private error: CoordinatorError | undefined;

  constructor(
    private readonly arrival: DisaggArrival,
    private readonly trace: RequestTrace | undefined,
    private readonly counts: RequestCounts,
  ) {}

  note(facts: DisaggFacts): void {
    this.facts = { ...this.facts, ...facts };
    this.trace?.server?.setAttributes(factAttributes(facts));
  }

  stage(stage: Stage): StageWatch {
    const startedAt = performance.now();
    let isOver = false;
    return {
      ended: (end) => {
        if (isOver) return;
        isOver = true;
        this.stageEnded(stage, end, performance.now() - startedAt);
      },
    };
  }

  answered(answer: ClientResponse): void {
    onFirstOutput(answer, () => {
      const elapsed = this.elapsed();
      this.firstOutputAfter = elapsed;
      this.counts.firstOutput(this.facts, elapsed);
      this.trace?.server?.setAttribute(NAME.trueTtft, elapsed);
    });
  }

  failed(error: CoordinatorError): void {
    this.error = error;
  }

  ended(reply: ReplyFacts): void {
    const elapsed = this.elapsed();
    this.counts.ended(reply, this.facts, elapsed);
    this.endSpan(reply, elapsed);
    const line = this.line(reply, elapsed);
    if (this.arrival.apiType === undefined) WatchedRequest.logger.debug(line, 'request passed through');
    else WatchedRequest.logger.log(line, 'request finished');
  }

  private elapsed(): number {
    return performance.now() - this.startedAt;
  }

  private stageEnded(stage: Stage, end: StageEnd, elapsed: number): void {
    this.stages[stage] = (this.stages[stage] ?? 0) + elapsed;
    if (end.failure !== CALLED_OFF) this.counts.stageEnded(stage, end, elapsed);
  }

  private endSpan(reply: ReplyFacts, elapsed: number): void {
    const span = this.trace?.server;
    if (span === undefined) return;
    span.setAttributes({ [NAME.outcome]: reply.end, [NAME.duration]: elapsed });
    if (reply.status !== undefined) span.setAttribute(ATTRIBUTES.status, reply.status);
    const failure = this.failure(reply);
    if (failure !== undefined) failSpan(span, failure);
    span.end();
  }

  /** Why it did not go well, in one word; a client that leaves may be told of before the error that comes of it. */
  private failure({ end, status = 0 }: ReplyFacts): string | undefined {
    if (this.facts.deniedTarget !== undefined) return 'ssrf_protection_denied';
    if (this.error !== undefined) return errorLabel(this.error);
    if (end !== 'completed') return end;
    return status >= 400 ? statusLabel(status) : undefined;
  }

  private line({ end, status, bytes, isStream }: ReplyFacts, elapsed: number): Record<string, unknown> {
    const { scope, path, apiType, rank } = this.arrival;
    const { disaggType, reason, prefillTarget, encodeItems } = this.facts;
    return {
      'x-request-id': scope.id,
      ...(this.trace === undefined ? {} : { trace_id: this.trace.ids.traceId, span_id: this.trace.ids.spanId }),
      path,
      api_type: apiType,
      rank,
      disagg_type: disaggType,
      reason,
      prefill_target: prefillTarget,
      encode_items: encodeItems,
      stream: isStream,
      status,
      outcome: end,
      bytes,
      duration_ms: rounded(elapsed),
      ...(this.firstOutputAfter === undefined ? {} : { time_to_first_token_ms: rounded(this.firstOutputAfter) }),
      stages_ms: Object.fromEntries(Object.entries(this.stages).map(([stage, ms]) => [stage, rounded(ms)])),
      ...(this.error === undefined ? {} : { error_code: this.error.code }),
    };
  }
}
