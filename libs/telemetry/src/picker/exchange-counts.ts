import type { Usage } from '#protocol';
import type {
  Candidate,
  Decision,
  ReceivedAnswer,
  SchedulingRequest,
  SchedulingResult,
  Termination,
} from '#scheduling';
import { ExchangeTimes } from './exchange-times.ts';
import type { PickerFacts } from './picker-facts.ts';
import type { PickerMetrics, RequestLabels } from './picker-metrics.ts';
import type { SchedulerAttempts } from './scheduler-attempts.ts';

/** What exchanges are counted with. */
export interface Counting {
  readonly metrics: PickerMetrics;
  /** Undefined where nothing is known of the picker. */
  readonly facts?: PickerFacts | undefined;
  readonly attempts?: SchedulerAttempts | undefined;
  /** Whether streams of the proxy are measured (`--enable-grpc-stream-metrics`). */
  readonly measuresStreams: boolean;
}

const STATUS_OK = 200;
/** Code of an answer that the worker did not make well. */
export const MODEL_SERVER_ERROR = 'ModelServerError';
/** What rewrites a model, where it is a header and no object with a name. */
const REWRITTEN_BY_HEADER = 'header';
/** Bytes of a token. */
const TOKEN_BYTES = 4;

/** The numbers of one exchange (`epp.md` 8.4). */
export class ExchangeCounts {
  readonly times = new ExchangeTimes();
  /** Of a sampled request, whose times then stand as exemplars. */
  traceId: string | undefined;
  private labels: RequestLabels = ['unknown', 'unknown', 'default-flow', '0'];
  private isStream = false;
  private isRunning = false;
  private isProcessed = false;
  private isRefused = false;
  private hasFailed = false;
  private bytes = 0;
  private tokens: Usage | undefined;

  constructor(private readonly counting: Counting) {
    if (counting.measuresStreams) counting.metrics.on.streamsInFlight.add([], 1);
  }

  read({ parsed, targetModel, fairnessId, priority }: SchedulingRequest): void {
    this.isStream = parsed.isStream;
    this.labels = this.counting.metrics.labels(parsed.model, targetModel, fairnessId, priority);
  }

  /** @param isReserved whether the client is told the endpoint only: the stages are counted when the request itself comes */
  cycleEnded(result: SchedulingResult | undefined, isReserved: boolean): void {
    this.counting.metrics.on.schedulerDuration.observe([], this.times.sinceCycle(), this.traceId);
    const target = result?.profiles.get(result.primary)?.targets[0];
    if (target === undefined) this.counting.attempts?.failed(this.labels[1]);
    else this.counting.attempts?.succeeded(this.labels[1], target.endpoint, isReserved ? 'reserved' : 'success');
    if (result !== undefined && !isReserved) this.disaggregated(result);
  }

  scheduled({ request, incomingModel, result }: Decision): void {
    const { metrics } = this.counting;
    this.labels = metrics.labels(incomingModel, request.targetModel, request.fairnessId, request.priority);
    metrics.on.requests.add(this.labels);
    metrics.on.requestSize.observe(this.labels, request.size);
    if (incomingModel !== undefined && incomingModel !== request.targetModel) {
      metrics.on.modelRewrites.add([REWRITTEN_BY_HEADER, this.labels[0], this.labels[1]]);
    }
    const target = result.profiles.get(result.primary)?.targets[0];
    if (target !== undefined) this.prefixHit(target);
  }

  sent(): void {
    this.isRunning = true;
    this.counting.metrics.on.requestsRunning.add(this.labels, 1);
    this.processed();
  }

  refused(): void {
    this.isRefused = true;
    this.processed();
  }

  /** @returns whether it is an error, and the request's first one */
  answered({ status, isStream }: ReceivedAnswer): boolean {
    this.times.answered();
    this.isStream ||= isStream;
    return status !== undefined && status !== STATUS_OK && this.fail(MODEL_SERVER_ERROR);
  }

  chunk(bytes: number): void {
    this.bytes += bytes;
    const gap = this.times.chunk();
    if (this.isStream && gap !== undefined) this.counting.metrics.on.betweenTokens.observe(this.labels, gap);
  }

  usage(usage: Usage): void {
    this.tokens = usage;
  }

  ended(how: Termination): void {
    const { on } = this.counting.metrics;
    this.processed();
    const responding = this.times.responding(this.isStream);
    if (responding !== undefined) on.responseProcessing.observe([], responding);
    if (this.isRunning) {
      on.requestsRunning.add(this.labels, -1);
      this.finished();
    }
    if (!this.counting.measuresStreams) return;
    on.streamsInFlight.add([], -1);
    on.streams.add([this.streamCode(how)]);
    on.streamDuration.observe([], this.times.sinceStart());
  }

  /** One error a request, the first one. @returns whether it is */
  fail(code: string): boolean {
    if (this.hasFailed) return false;
    this.hasFailed = true;
    this.counting.metrics.on.requestErrors.add([...this.labels, code]);
    return true;
  }

  /** From the headers to the replies, once a request. */
  private processed(): void {
    if (this.isProcessed) return;
    this.isProcessed = true;
    this.counting.metrics.on.requestProcessing.observe([], this.times.sinceStart());
  }

  /** Where we answer the client ourselves, the stream ends well. */
  private streamCode(how: Termination): string {
    if (how === 'client_disconnect') return 'Canceled';
    return how === 'error' && !this.isRefused ? 'Unknown' : 'OK';
  }

  private disaggregated(result: SchedulingResult): void {
    const handler = this.counting.facts?.disaggregation;
    if (handler === undefined) return;
    const decision = handler.plugin.decisionOf(result);
    this.counting.metrics.on.disaggregations.add([handler.name, handler.type, this.labels[1], decision]);
  }

  private prefixHit(target: Candidate): void {
    const { on } = this.counting.metrics;
    for (const { name, type } of this.counting.facts?.prefixProducers ?? []) {
      const match = target.prefixMatch(name);
      if (match === undefined || match.totalBlocks === 0) continue;
      on.prefixHitRatio.observe([name, type], match.matchedBlocks / match.totalBlocks);
      on.prefixHitBytes.observe([name, type], match.matchedBlocks * match.blockSize * TOKEN_BYTES);
    }
  }

  /** Times and tokens of a request that was sent out. */
  private finished(): void {
    const { on } = this.counting.metrics;
    const duration = this.times.sinceStart();
    on.requestDuration.observe(this.labels, duration, this.traceId);
    on.responseSize.observe(this.labels, this.bytes);
    const first = this.times.toFirstByte;
    if (first !== undefined) {
      on.timeToFirstToken.observe([...this.labels, String(this.isStream)], first, this.traceId);
    }
    const { inputTokens: input, outputTokens: output, cachedTokens: cached } = this.tokens ?? {};
    if (input !== undefined) on.inputTokens.observe(this.labels, input);
    if (cached !== undefined) on.cachedTokens.observe(this.labels, cached);
    if (output === undefined || output === 0) return;
    on.outputTokens.observe(this.labels, output);
    on.perOutputToken.observe(this.labels, duration / output);
    if (this.isStream && output > 1 && first !== undefined) {
      on.timePerOutputToken.observe(this.labels, (duration - first) / (output - 1));
    }
  }
}
