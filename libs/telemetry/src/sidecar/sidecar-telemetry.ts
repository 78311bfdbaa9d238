import { Logger } from '@nestjs/common';
import { DisaggObserver } from '#disaggregation';
import type { DisaggArrival, DisaggFacts, DisaggType, DisaggWatch, Stage, StageEnd, StageWatch } from '#disaggregation';
import type { CoordinatorError } from '#foundation';
import type { ReplyFacts } from '#pipeline';
import { ATTRIBUTES } from '../attributes.ts';
import { errorLabel } from '../error-label.ts';
import type { RequestTrace } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { SIDECAR_ATTRIBUTES as NAME, factAttributes } from './sidecar-attributes.ts';
import type { SidecarMetrics } from './sidecar-metrics.ts';
import type { SidecarRecord, SidecarRequests } from './sidecar-requests.ts';

const PASSTHROUGH = 'passthrough';
/** The reason of a request that is decoded here because nothing else was wanted. */
const NOT_ASKED_FOR = 'no_prefill_header';

/** Counts, traces and logs every request of a decode sidecar (`sidecar.md` 12). */
export class SidecarTelemetry extends DisaggObserver {
  private readonly logger = new Logger('request');

  constructor(
    private readonly metrics: SidecarMetrics,
    private readonly tracing: Tracing,
    private readonly requests: SidecarRequests,
  ) {
    super();
  }

  begin(arrival: DisaggArrival): DisaggWatch {
    const { scope, method, path, apiType, rank } = arrival;
    const attributes = {
      [ATTRIBUTES.method]: method,
      ...(apiType === undefined ? {} : { [ATTRIBUTES.route]: path, [NAME.apiType]: apiType }),
      [NAME.requestId]: scope.id,
      [NAME.rank]: rank,
    };
    const name = `llm_d.pd_proxy.${method}${apiType === undefined ? '' : ` ${path}`}`;
    const trace = this.tracing.begin(scope, name, attributes);
    const follow = new RequestFollow(arrival, trace, this.metrics, this.logger);
    this.requests.keep(follow);
    return follow;
  }
}

class RequestFollow implements DisaggWatch, SidecarRecord {
  readonly startedAt = performance.now();
  private facts: DisaggFacts = {};
  private readonly stages: Partial<Record<Stage, number>> = {};
  private error: CoordinatorError | undefined;

  constructor(
    readonly arrival: DisaggArrival,
    readonly trace: RequestTrace | undefined,
    private readonly metrics: SidecarMetrics,
    private readonly logger: Logger,
  ) {
    metrics.on.requests.add([arrival.apiType ?? PASSTHROUGH]);
    metrics.on.requestsRunning.add([], 1);
  }

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

  firstOutput(now: number): void {
    const { type } = this;
    if (type === undefined) return;
    const elapsed = now - this.startedAt;
    this.metrics.on.timeToFirstToken.observe([type], elapsed / 1000, this.trace?.server && this.trace.ids.traceId);
    this.trace?.server?.setAttribute(NAME.trueTtft, elapsed);
  }

  failed(error: CoordinatorError): void {
    this.error = error;
    failSpan(this.trace?.server, errorLabel(error));
  }

  ended(reply: ReplyFacts): void {
    const elapsed = performance.now() - this.startedAt;
    this.count(reply, elapsed);
    const span = this.trace?.server;
    span?.setAttributes({ [NAME.outcome]: reply.end, [NAME.duration]: elapsed });
    if (reply.status !== undefined) span?.setAttribute(ATTRIBUTES.status, reply.status);
    if (this.error === undefined && (reply.status ?? 0) >= 500) failSpan(span, String(reply.status));
    span?.end();
    if (this.arrival.apiType !== undefined) this.log(reply, elapsed);
  }

  /** Undefined for what is passed through, and for a request that was refused before its stages were known. */
  private get type(): DisaggType | undefined {
    return this.facts.disaggType;
  }

  private stageEnded(stage: Stage, { failure }: StageEnd, elapsed: number): void {
    const { on } = this.metrics;
    this.stages[stage] = (this.stages[stage] ?? 0) + elapsed;
    if (failure !== undefined) on.stageErrors.add([stage, failure]);
    const seconds = elapsed / 1000;
    if (stage === 'decode') on.decodeDuration.observe([], seconds);
    else if (failure === undefined && stage === 'encode') on.encodeDuration.observe([], seconds);
    else if (failure === undefined) on.prefillDuration.observe([], seconds);
  }

  private count({ end, status }: ReplyFacts, elapsed: number): void {
    const { on } = this.metrics;
    const { apiType } = this.arrival;
    on.requestsRunning.add([], -1);
    on.answers.add([status === undefined ? 'none' : `${Math.trunc(status / 100)}xx`, end]);
    on.requestDuration.observe([apiType ?? PASSTHROUGH, this.type ?? 'none'], elapsed / 1000);
    if (this.type !== undefined && this.type !== 'decode-only') on.disaggregated.add([this.type]);
    this.countFacts();
  }

  private countFacts(): void {
    const { on } = this.metrics;
    const { reason, deniedTarget, encoderCandidates = 0, encoderAllowed = 0 } = this.facts;
    if (deniedTarget !== undefined) on.denied.add(['prefill']);
    if (reason !== undefined && reason !== NOT_ASKED_FOR) on.skipped.add([reason]);
    if (encoderCandidates > encoderAllowed) on.denied.add(['encode'], encoderCandidates - encoderAllowed);
    for (const [counter, amount] of [
      [on.prefillRetries, this.facts.prefillRetries],
      [on.encodeItems, this.facts.encodeItems],
      [on.prefilledTokens, this.facts.cachedTokens],
      [on.chunks, this.facts.chunks],
    ] as const) {
      if (amount !== undefined) counter.add([], amount);
    }
  }

  private log({ end, status, bytes, isStream }: ReplyFacts, elapsed: number): void {
    const { scope, path, apiType, rank } = this.arrival;
    const { disaggType, reason, prefillTarget, encodeItems } = this.facts;
    const fields = {
      'x-request-id': scope.id,
      ...(this.trace === undefined ? {} : { trace_id: this.trace.ids.traceId, span_id: this.trace.ids.spanId }),
      path,
      api_type: apiType,
      disagg_type: disaggType,
      reason,
      prefill_target: prefillTarget,
      encode_items: encodeItems,
      rank,
      status,
      outcome: end,
      stream: isStream,
      bytes,
      duration_ms: Math.round(elapsed),
      stages_ms: Object.fromEntries(Object.entries(this.stages).map(([stage, ms]) => [stage, Math.round(ms)])),
      ...(this.error === undefined ? {} : { code: this.error.code }),
    };
    this.logger.log(fields, 'request finished');
  }
}
