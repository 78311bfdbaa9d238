import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  createTraceState,
  isSpanContextValid,
  trace,
} from '@opentelemetry/api';
import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { RequestScope } from '#protocol';
import { ATTRIBUTES } from './attributes.ts';
import type { RequestTrace } from './request-trace.ts';

/** Makes spans, by hand and only for requests whose trace is sampled. */
export class Tracing {
  /** @param tracer undefined when tracing is off: then nothing is made, and a client's trace context goes on unchanged */
  constructor(private readonly tracer: Tracer | undefined) {}

  /**
   * Begins the outermost span of what is done here for a request, beneath the one whose ids came with it.
   * @param name `POST /v1/chat/completions`, or the method alone for a path without a route
   */
  begin(
    scope: Pick<RequestScope, 'trace'>,
    name: string,
    attributes: Attributes,
    kind = SpanKind.SERVER,
  ): RequestTrace | undefined {
    if (this.tracer === undefined) return undefined;
    const parent = parentContext(scope);
    const server = this.tracer.startSpan(name, { kind, attributes }, parent);
    const ids = server.spanContext();
    // without an exporter the SDK makes no span: there is none to be the parent of what follows
    if (!isSpanContextValid(ids) || ids.spanId === trace.getSpanContext(parent)?.spanId) return undefined;
    return {
      server: server.isRecording() ? server : undefined,
      serverContext: trace.setSpan(parent, server),
      ids,
      pipeline: undefined,
      pipelineContext: undefined,
      stepContext: undefined,
    };
  }

  /** A span inside a sampled request. @param startTime milliseconds since 1970, where it began before this */
  span(
    name: string,
    kind: SpanKind,
    parent: Context,
    attributes: Attributes = {},
    startTime?: number,
  ): Span | undefined {
    const begun = startTime === undefined ? {} : { startTime };
    return this.tracer?.startSpan(name, { kind, attributes, ...begun }, parent);
  }
}

/** Marks a span as failed. @param type a short stable word, never content */
export function failSpan(span: Span | undefined, type: string): void {
  span?.setAttribute(ATTRIBUTES.errorType, type);
  span?.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

/** The client's span as the parent, where it sent a valid one. */
function parentContext(scope: Pick<RequestScope, 'trace'>): Context {
  const { traceparent, tracestate } = scope.trace;
  if (traceparent === undefined) return ROOT_CONTEXT;
  const [, traceId = '', spanId = '', flags = '00'] = traceparent.split('-');
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor is in a package that nothing else here needs
    ...(tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }),
  });
}
