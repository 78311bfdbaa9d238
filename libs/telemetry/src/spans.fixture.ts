import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { AlwaysOnSampler, ParentBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import type { ReadableSpan, Sampler } from '@opentelemetry/sdk-trace';

/** A span as plain data. */
export interface RecordedSpan {
  readonly name: string;
  readonly kind: keyof typeof SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly events: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A tracer whose spans are kept. */
export class SpanRecorder {
  readonly spans: RecordedSpan[] = [];
  /** Spans that were begun, ended or not. */
  begun = 0;
  readonly tracer: Tracer;

  constructor(sampler: Sampler = new ParentBasedSampler({ root: new AlwaysOnSampler() })) {
    const nothing = (): Promise<void> => Promise.resolve();
    const processor = {
      onStart: (): void => {
        this.begun++;
      },
      onEnd: (span: ReadableSpan): void => {
        this.spans.push(recorded(span));
      },
      forceFlush: nothing,
      shutdown: nothing,
    };
    this.tracer = new TracerProvider({ sampler, spanProcessors: [processor] }).getTracer('test');
  }

  /** The spans of a trace, in the order of their start. */
  of(traceId: string): RecordedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId).toSorted((a, b) => a.startedAt - b.startedAt);
  }
}

/** The one span of a kind, and of a name. @throws Error where there is none, or more than one */
export function only(all: readonly RecordedSpan[], kind: RecordedSpan['kind'], name?: string): RecordedSpan {
  const found = all.filter((span) => span.kind === kind && (name === undefined || span.name === name));
  const [span] = found;
  if (span === undefined || found.length > 1) throw new Error(`${found.length} spans of ${kind} ${name ?? ''}`);
  return span;
}

function recorded(span: ReadableSpan): RecordedSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    // a kind is one of the names that it is looked up by
    kind: SpanKind[span.kind] as keyof typeof SpanKind,
    traceId,
    spanId,
    parentId: span.parentSpanContext?.spanId,
    attributes: { ...span.attributes },
    isError: span.status.code === SpanStatusCode.ERROR,
    events: span.events.length,
    startedAt: milliseconds(span.startTime),
    endedAt: milliseconds(span.endTime),
  };
}

function milliseconds([seconds, nanoseconds]: readonly [number, number]): number {
  return seconds * 1000 + nanoseconds / 1e6;
}
