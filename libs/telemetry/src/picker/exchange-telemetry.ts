import { traceContext } from '#protocol';
import type { TraceContext, Usage } from '#protocol';
import { ExchangeObservers } from '#scheduling';
import type {
  CycleTrace,
  Decision,
  ExchangeObserver,
  ReceivedAnswer,
  ReceivedRequest,
  SchedulingError,
  SchedulingRequest,
  SchedulingResult,
  Termination,
} from '#scheduling';
import { ATTRIBUTES } from '../attributes.ts';
import type { RequestTrace } from '../request-trace.ts';
import { traceHeaders } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { ExchangeCounts, MODEL_SERVER_ERROR } from './exchange-counts.ts';
import type { Counting } from './exchange-counts.ts';
import { ExchangeSpans } from './exchange-spans.ts';
import { PICKER_ATTRIBUTES } from './picker-attributes.ts';
import type { PickerLog, RequestIds } from './picker-log.ts';
import { SpanNode } from './span-node.ts';

/** What exchanges are watched with beside metrics and traces. */
export interface PickerWatch extends Partial<Omit<Counting, 'metrics'>> {
  readonly log?: PickerLog;
}

/** Counts, traces and logs every exchange of an endpoint picker (`epp.md` 8.4, 8.5). */
export class PickerTelemetry extends ExchangeObservers {
  private readonly counting: Counting;
  private readonly log: PickerLog | undefined;

  constructor(
    metrics: Counting['metrics'],
    private readonly tracing: Tracing,
    { log, ...watch }: PickerWatch = {},
  ) {
    super();
    this.counting = { measuresStreams: true, ...watch, metrics };
    this.log = log;
  }

  open(): ExchangeObserver {
    return new ExchangeTelemetry(this.counting, this.tracing, this.log);
  }
}

class ExchangeTelemetry implements ExchangeObserver {
  private readonly counts: ExchangeCounts;
  private id = '';
  private isReserved = false;
  private carried: TraceContext = {};
  private trace: RequestTrace | undefined;
  /** Undefined where the request's trace is not sampled. */
  private spans: ExchangeSpans | undefined;

  constructor(
    private readonly counting: Counting,
    private readonly tracing: Tracing,
    private readonly log: PickerLog | undefined,
  ) {
    this.counts = new ExchangeCounts(counting);
  }

  received({ id, headers, repeated }: ReceivedRequest): void {
    const one = (name: string): readonly string[] => {
      const value = headers.get(name);
      return value === undefined ? [] : repeated.has(name) ? [value, value] : [value];
    };
    this.id = id.slice(0, MAX_ID);
    this.carried = traceContext({
      traceparent: one('traceparent'),
      tracestate: one('tracestate'),
      baggage: one('baggage'),
    });
    const attributes = { [PICKER_ATTRIBUTES.requestId]: this.id };
    this.trace = this.tracing.begin({ trace: this.carried }, 'gateway.request', attributes);
    const { server, serverContext } = this.trace ?? {};
    if (server === undefined || serverContext === undefined) return;
    this.counts.traceId = server.spanContext().traceId;
    this.spans = new ExchangeSpans(SpanNode.root(this.tracing, server, serverContext), this.counting.facts);
  }

  propagated(): ReadonlyMap<string, string> {
    const headers = this.trace === undefined ? this.carried : traceHeaders(this.trace.ids, this.carried);
    return new Map(Object.entries(headers));
  }

  began(): void {
    this.spans?.began();
  }

  read(request: SchedulingRequest): void {
    this.counts.read(request);
    this.spans?.read(request);
  }

  cycle(_request: SchedulingRequest, candidates: number): CycleTrace | undefined {
    this.counts.times.cycle();
    return this.spans?.cycle(candidates);
  }

  cycleEnded(_request: SchedulingRequest, result: SchedulingResult | undefined, isReserved: boolean): void {
    this.counts.cycleEnded(result, isReserved);
  }

  preparing(request: SchedulingRequest, result: SchedulingResult): void {
    this.spans?.preparing(request, result);
  }

  prepared(): void {
    this.spans?.prepared();
  }

  scheduled(decision: Decision): void {
    const { result } = decision;
    this.counts.scheduled(decision);
    this.spans?.scheduled(result.primary, result.profiles.get(result.primary)?.targets[0]);
    this.log?.scheduled(() => this.ids(), decision, this.counts.times.sinceStart() * 1000);
  }

  reserved(decision: Decision): void {
    const { result } = decision;
    this.isReserved = true;
    this.spans?.scheduled(result.primary, result.profiles.get(result.primary)?.targets[0]);
    this.trace?.server?.setAttribute(ATTRIBUTES.status, NO_CONTENT);
    this.log?.reserved(() => this.ids(), decision, this.counts.times.sinceStart() * 1000);
  }

  refused(error: SchedulingError): void {
    this.counts.refused();
    this.trace?.server?.setAttribute(ATTRIBUTES.status, error.status);
    if (isAnswer(error)) {
      this.counts.fail(error.code);
      this.spans?.over();
    } else {
      this.fail(error.code);
    }
    this.log?.refused(() => this.ids(), error);
  }

  sent(): void {
    this.counts.sent();
  }

  responseHeaders(answer: ReceivedAnswer): void {
    const { status } = answer;
    if (status !== undefined) this.trace?.server?.setAttribute(ATTRIBUTES.status, status);
    if (this.counts.answered(answer)) failSpan(this.trace?.server, MODEL_SERVER_ERROR);
  }

  firstByte(): void {
    this.counts.times.firstByte();
  }

  chunk(bytes: number): void {
    this.counts.chunk(bytes);
  }

  handled(): void {
    this.counts.times.chunkHandled();
  }

  usage(usage: Usage): void {
    this.counts.usage(usage);
  }

  ended(how: Termination): void {
    if (how === 'error') this.fail('Unknown');
    else if (how !== 'natural') this.spans?.over(how);
    this.counts.ended(how);
    this.trace?.server?.setAttribute(PICKER_ATTRIBUTES.outcome, this.isReserved ? 'reserved' : how);
    this.trace?.server?.end();
  }

  private fail(code: string): void {
    if (!this.counts.fail(code)) return;
    this.spans?.over(code);
    failSpan(this.trace?.server, code);
  }

  private ids(): RequestIds {
    const { ids } = this.trace ?? {};
    if (ids !== undefined) return { 'x-request-id': this.id, trace_id: ids.traceId, span_id: ids.spanId };
    const [, traceId] = this.carried.traceparent?.split('-') ?? [];
    return { 'x-request-id': this.id, ...(traceId !== undefined && { trace_id: traceId }) };
  }
}

/** What a reservation is answered with. */
const NO_CONTENT = 204;
/** Characters of a request's id, which is the client's. */
const MAX_ID = 256;

/** That a prompt is cold is what a conditional request asks about: its span has the status, and no error. */
function isAnswer({ code }: SchedulingError): boolean {
  return code === 'PreconditionFailed';
}
