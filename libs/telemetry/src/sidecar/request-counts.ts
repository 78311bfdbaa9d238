import type { DisaggFacts, Stage, StageEnd } from '#disaggregation';
import type { ReplyFacts } from '#pipeline';
import type { DeniedRole } from './sidecar-label-values.ts';
import type { SidecarMetrics } from './sidecar-metrics.ts';

/** The reason of a request that is decoded here because nothing else was wanted. */
const NOT_ASKED_FOR = 'no_prefill_header';
const DURATIONS = { encode: 'encodeDuration', prefill: 'prefillDuration', decode: 'decodeDuration' } as const;

/** What the metrics are told of one request. Times are milliseconds. */
export class RequestCounts {
  private readonly on: SidecarMetrics['on'];

  /** @param traceId of a sampled request, which then stands as an exemplar */
  constructor(
    { on }: SidecarMetrics,
    private readonly apiType: string,
    private readonly traceId: string | undefined,
  ) {
    this.on = on;
    on.requests.add([apiType]);
    on.requestsRunning.add([], 1);
  }

  /** An encode or a prefill that failed has no duration; a decode has one, since part of its answer may have gone out. */
  stageEnded(stage: Stage, { failure }: StageEnd, elapsed: number): void {
    if (failure !== undefined) this.on.stageErrors.add([stage, failure]);
    if (failure !== undefined && stage !== 'decode') return;
    this.on[DURATIONS[stage]].observe([], elapsed / 1000, this.traceId);
  }

  firstOutput({ disaggType }: DisaggFacts, elapsed: number): void {
    this.on.timeToFirstToken.observe([disaggType ?? 'none'], elapsed / 1000, this.traceId);
  }

  ended({ end, status }: ReplyFacts, facts: DisaggFacts, elapsed: number): void {
    const { on, apiType, traceId } = this;
    const { disaggType } = facts;
    on.requestsRunning.add([], -1);
    on.answers.add([status === undefined ? 'none' : `${Math.trunc(status / 100)}xx`, end]);
    on.requestDuration.observe([apiType, disaggType ?? 'none'], elapsed / 1000, traceId);
    if (disaggType !== undefined && disaggType !== 'decode-only') on.disaggregated.add([disaggType]);
    this.skipped(facts);
    this.worked(facts);
  }

  private skipped(facts: DisaggFacts): void {
    const { reason, encoderCandidates = 0, encoderAllowed = 0 } = facts;
    if (reason !== undefined && reason !== NOT_ASKED_FOR) this.on.skipped.add([reason]);
    if (facts.deniedTarget !== undefined || reason === 'malformed_target') this.denied('prefill');
    if (encoderCandidates > encoderAllowed) this.denied('encode', encoderCandidates - encoderAllowed);
    if (facts.isSourceDenied === true) this.denied('kv_cache_source');
  }

  private denied(role: DeniedRole, workers = 1): void {
    this.on.denied.add([role], workers);
  }

  private worked({ prefillRetries = 0, encodeItems = 0, cachedTokens = 0, chunks = 0 }: DisaggFacts): void {
    const { on } = this;
    on.prefillRetries.add([], prefillRetries);
    on.encodeItems.add([], encodeItems);
    on.prefilledTokens.add([], cachedTokens);
    on.chunks.add([], chunks);
  }
}
