import type { Context, Span, SpanContext } from '@opentelemetry/api';
import type { TraceContext } from '#protocol';

/**
 * The spans of one request, where there are any: the server span, the pipeline span and the step that runs. Parents are passed on by
 * hand, so that requests whose trace is not sampled make no spans and no context switches.
 */
export interface RequestTrace {
  /** Undefined when the request's trace is not sampled: ids are carried on, nothing is recorded. */
  readonly server: Span | undefined;
  readonly serverContext: Context;
  readonly ids: SpanContext;
  pipeline: Span | undefined;
  pipelineContext: Context | undefined;
  stepContext: Context | undefined;
}

/** What goes upstream for a span. */
export function traceHeaders(ids: SpanContext, carried: TraceContext): TraceContext {
  const flags = (ids.traceFlags & 0xff).toString(16).padStart(2, '0');
  const state = ids.traceState?.serialize();
  return {
    traceparent: `00-${ids.traceId}-${ids.spanId}-${flags}`,
    ...(state === undefined || state === '' ? {} : { tracestate: state }),
    ...(carried.baggage === undefined ? {} : { baggage: carried.baggage }),
  };
}
