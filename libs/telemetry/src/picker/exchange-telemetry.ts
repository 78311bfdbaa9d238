import { SpanKind } from '@opentelemetry/api';
import { traceContext } from '#protocol';
import type { TraceContext, Usage } from '#protocol';
import { ExchangeObservers } from '#scheduling';
import type {
  Decision,
  ExchangeObserver,
  ReceivedAnswer,
  ReceivedRequest,
  SchedulingError,
  Termination,
} from '#scheduling';
import { ATTRIBUTES } from '../attributes.ts';
import type { RequestTrace } from '../request-trace.ts';
import { traceHeaders } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { ExchangeTimes } from './exchange-times.ts';
import { PICKER_ATTRIBUTES } from './picker-attributes.ts';
import type { PickerMetrics, RequestLabels } from './picker-metrics.ts';

/** Counts and traces every exchange of an endpoint picker (`epp.md` 8.4, 8.5). */
export class PickerTelemetry extends ExchangeObservers {
  constructor(
    private readonly metrics: PickerMetrics,
    private readonly tracing: Tracing,
  ) {
    super();
  }

  open(): ExchangeObserver {
    return new ExchangeTelemetry(this.metrics, this.tracing);
  }
}

const STATUS_OK = 200;
/** Code of an answer that the worker did not make well. */
const MODEL_SERVER_ERROR = 'ModelServerError';

class ExchangeTelemetry implements ExchangeObserver {
  private readonly times = new ExchangeTimes();
  private carried: TraceContext = {};
  private trace: RequestTrace | undefined;
  private labels: RequestLabels = ['unknown', 'unknown', 'default-flow', '0'];
  private isStream = false;
  private isRunning = false;
  private hasFailed = false;
  private bytes = 0;
  private tokens: Usage | undefined;

  constructor(
    private readonly metrics: PickerMetrics,
    private readonly tracing: Tracing,
  ) {
    metrics.on.streamsInFlight.add([], 1);
  }

  received({ id, headers, repeated }: ReceivedRequest): void {
    const one = (name: string): readonly string[] => {
      const value = headers.get(name);
      return value === undefined ? [] : repeated.has(name) ? [value, value] : [value];
    };
    this.carried = traceContext({
      traceparent: one('traceparent'),
      tracestate: one('tracestate'),
      baggage: one('baggage'),
    });
    this.trace = this.tracing.begin({ trace: this.carried }, 'gateway.request', { [PICKER_ATTRIBUTES.requestId]: id });
  }

  propagated(): ReadonlyMap<string, string> {
    const headers = this.trace === undefined ? this.carried : traceHeaders(this.trace.ids, this.carried);
    return new Map(Object.entries(headers));
  }

  scheduled({ request, incomingModel, result }: Decision): void {
    const { targetModel, fairnessId, priority, parsed, size } = request;
    this.isStream = parsed.isStream;
    this.labels = this.metrics.labels(incomingModel, targetModel, fairnessId, priority);
    const { on } = this.metrics;
    on.requests.add(this.labels);
    on.requestSize.observe(this.labels, size);
    const [target] = result.profiles.get(result.primary)?.targets ?? [];
    const { name = '', namespace = '', port = 0 } = target?.endpoint ?? {};
    on.schedulerAttempts.add(['success', this.labels[1], name, namespace, String(port)]);
    this.span(result.primary, name);
  }

  refused({ code }: SchedulingError): void {
    const { on } = this.metrics;
    on.requestProcessing.observe([], this.times.sinceStart());
    on.schedulerAttempts.add(['failure', this.labels[1], '', '', '']);
    this.fail(code);
  }

  sent(): void {
    this.isRunning = true;
    this.metrics.on.requestsRunning.add(this.labels, 1);
    this.metrics.on.requestProcessing.observe([], this.times.sinceStart());
  }

  responseHeaders({ status }: ReceivedAnswer): void {
    if (status === undefined) return;
    this.trace?.server?.setAttribute(ATTRIBUTES.status, status);
    if (status !== STATUS_OK) this.fail(MODEL_SERVER_ERROR);
  }

  firstByte(): void {
    this.times.firstByte();
  }

  chunk(bytes: number): void {
    this.bytes += bytes;
    const gap = this.times.chunk();
    if (this.isStream && gap !== undefined) this.metrics.on.betweenTokens.observe(this.labels, gap);
  }

  usage(usage: Usage): void {
    this.tokens = usage;
  }

  ended(how: Termination): void {
    const { on } = this.metrics;
    on.streamsInFlight.add([], -1);
    on.streams.add([how === 'natural' ? 'OK' : how === 'client_disconnect' ? 'Canceled' : 'Unknown']);
    on.streamDuration.observe([], this.times.sinceStart());
    if (how === 'error') this.fail('Unknown');
    if (this.isRunning) {
      on.requestsRunning.add(this.labels, -1);
      this.answered();
    }
    this.trace?.server?.setAttribute(PICKER_ATTRIBUTES.outcome, how);
    this.trace?.server?.end();
  }

  /** Times and tokens of a request that was sent out. */
  private answered(): void {
    const { on } = this.metrics;
    const duration = this.times.sinceStart();
    on.requestDuration.observe(this.labels, duration);
    on.responseSize.observe(this.labels, this.bytes);
    const first = this.times.toFirstByte;
    if (first !== undefined) on.timeToFirstToken.observe([...this.labels, String(this.isStream)], first);
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

  /** One error a request, the first one. */
  private fail(code: string): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.metrics.on.requestErrors.add([...this.labels, code]);
    failSpan(this.trace?.server, code);
  }

  private span(profile: string, endpoint: string): void {
    const { server, serverContext } = this.trace ?? {};
    if (server === undefined || serverContext === undefined) return;
    const attributes = { [ATTRIBUTES.requestModel]: this.labels[1], [PICKER_ATTRIBUTES.profile]: profile };
    server.setAttributes(attributes);
    const own = { [PICKER_ATTRIBUTES.endpoint]: endpoint, ...attributes };
    this.tracing.span('request_orchestration', SpanKind.INTERNAL, serverContext, own)?.end();
  }
}
