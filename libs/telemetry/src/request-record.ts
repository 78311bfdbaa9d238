import type { InboundRequest, KvHandoff } from '#pipeline';
import type { RequestScope } from '#protocol';
import type { AnswerFacts } from './answer-observer.ts';
import type { ErrorLabel, ExecutionPath, Route } from './label-values.ts';
import { PhaseClock } from './phase-clock.ts';
import type { RequestTrace } from './request-trace.ts';

/** One try of a call, as the timeline shows it. Times are milliseconds from the request's start. */
export interface AttemptRecord {
  readonly upstream: string;
  readonly step: string;
  readonly attempt: number;
  readonly startedAt: number;
  headAt?: number;
  endedAt?: number;
  status?: number;
  error?: string;
}

/** One step, likewise. */
export interface StepRecord {
  readonly step: string;
  readonly startedAt: number;
  endedAt?: number;
  /** `next`, `respond`, or an error's label. */
  outcome?: string;
}

/** Attempts that are kept of one request; the rest is only counted. */
const MAX_ATTEMPTS = 200;
/** Characters of a path that are kept. */
const MAX_PATH = 256;

const ROUTES: Readonly<Record<string, Route>> = {
  chat: 'chat_completions',
  completions: 'completions',
  responses: 'responses',
  generate: 'generate',
};

/** Everything that telemetry keeps of one request while it runs and after: times, names and counts, no content. */
export class RequestRecord {
  readonly startedAt = performance.now();
  /** Milliseconds since 1970. */
  readonly startedWall = Date.now();
  readonly clock = new PhaseClock(this.startedAt);
  readonly steps: StepRecord[] = [];
  readonly attempts: AttemptRecord[] = [];
  attemptCount = 0;
  route: Route = 'unknown';
  /** The bounded value that metrics have for the model. */
  modelLabel = 'unknown';
  isStream = false;
  bodyBytes = 0;
  inputTokens: number | undefined;
  encodeWidth = 0;
  handoff: KvHandoff | undefined;
  prefillFailed = false;
  answer: AnswerFacts | undefined;
  trace: RequestTrace | undefined;
  /** Milliseconds that all steps took, to the head of the answer. */
  stepTime = 0;
  /** When the answer's head was known, on the clock of `performance.now()`. */
  headAt: number | undefined;
  status: number | undefined;
  error: { readonly label: ErrorLabel; readonly code: string } | undefined;
  outcome: string | undefined;
  endedAt: number | undefined;

  /** The path, or the beginning of one that is long: a record outlives its request, and clients choose what they ask for. */
  readonly path: string;

  constructor(
    readonly id: string,
    readonly method: string,
    path: string,
  ) {
    // well-formed, for the engine then makes a copy, and does not keep the whole for the sake of its beginning
    this.path = path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…`.toWellFormed() : path;
  }

  /** Lets go of what belongs to the request itself: a record outlives it. */
  release(): void {
    this.handoff = undefined;
  }

  parsed(request: InboundRequest, modelLabel: string): void {
    this.route = ROUTES[request.format] ?? 'unknown';
    this.modelLabel = modelLabel;
    this.isStream = request.stream;
  }

  beginAttempt(upstream: string, step: string, attempt: number): AttemptRecord {
    const record = { upstream, step, attempt, startedAt: this.elapsed() };
    this.attemptCount++;
    if (this.attempts.length < MAX_ATTEMPTS) this.attempts.push(record);
    return record;
  }

  /** Milliseconds since the request's start. */
  elapsed(now = performance.now()): number {
    return now - this.startedAt;
  }

  /** The trace that an exemplar may lead to: one that is kept. */
  get sampledTraceId(): string | undefined {
    return this.trace?.server === undefined ? undefined : this.trace.ids.traceId;
  }

  /** Which phases the request went through, from the steps that were begun (`coordinator.md` F.1); undefined before decode. */
  get executionPath(): ExecutionPath | undefined {
    const begun = new Set(this.steps.map(({ step }) => step));
    const isPair = begun.has('prefill-decode');
    if (!isPair && !begun.has('decode') && !begun.has('conditional-decode')) return undefined;
    if (this.prefillFailed) return 'prefill-fallback';
    if (isPair || begun.has('prefill')) return begun.has('encode') ? 'encode-prefill-decode' : 'prefill-decode';
    return 'decode-only';
  }
}

/** Which record belongs to which request; a request that is gone takes its record along. */
export class RequestRecords {
  private readonly byScope = new WeakMap<RequestScope, RequestRecord>();

  set(scope: RequestScope, record: RequestRecord): void {
    this.byScope.set(scope, record);
  }

  of(scope: RequestScope): RequestRecord | undefined {
    return this.byScope.get(scope);
  }
}
