import { SpanKind } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { ATTRIBUTES } from '../attributes.ts';
import { bodyFailure, callFailure } from '../error-label.ts';
import { traceHeaders } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { SIDECAR_ATTRIBUTES as NAME } from './sidecar-attributes.ts';
import type { RunningTraces } from './sidecar-observer.ts';

/** A CLIENT span for each try of each call, named by its stage; its ids are what goes to the worker. */
export class StageTracing implements UpstreamCallInterceptor {
  constructor(
    private readonly tracing: Tracing,
    private readonly traces: RunningTraces,
  ) {}

  intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const trace = this.traces.get(attempt.scope);
    if (trace === undefined) return next();
    const { server, serverContext, ids } = trace;
    const span = server && this.tracing.span(nameOf(attempt), SpanKind.CLIENT, serverContext, attributesOf(attempt));
    attempt.trace = traceHeaders(span?.spanContext() ?? ids, attempt.scope.trace);
    return span === undefined ? next() : traced(attempt, span, next);
  }
}

async function traced(
  attempt: UpstreamAttempt,
  span: Span,
  next: () => Promise<UpstreamReply>,
): Promise<UpstreamReply> {
  try {
    const reply = await next();
    span.setAttribute(ATTRIBUTES.status, reply.status);
    if (isFailure(attempt, reply.status)) failSpan(span, String(reply.status));
    reply.body.observe({
      end: (error) => {
        const failure = bodyFailure(attempt.signal, reply.status, error);
        if (failure !== undefined) failSpan(span, failure);
        span.end();
      },
    });
    return reply;
  } catch (error) {
    failSpan(span, callFailure(attempt.signal, error));
    span.end();
    throw error;
  }
}

/** A prefill is a POST; what its worker is asked before is none (`sidecar.md` 4.7). */
function nameOf({ upstream, method }: UpstreamAttempt): string {
  return upstream === 'prefill' && method === 'GET' ? 'bootstrap' : upstream;
}

/** A stage wants 2xx; what is passed through may be redirected (`sidecar.md` 4.0). */
function isFailure({ upstream }: UpstreamAttempt, status: number): boolean {
  return status >= (upstream === 'passthrough' ? 400 : 300);
}

function attributesOf(attempt: UpstreamAttempt): Attributes {
  const { hostname, port, protocol } = new URL(attempt.base);
  return {
    ...(attempt.upstream === 'passthrough' ? {} : { [NAME.stage]: attempt.upstream }),
    [ATTRIBUTES.method]: attempt.method,
    [ATTRIBUTES.path]: attempt.path.split('?', 1)[0] ?? '',
    [ATTRIBUTES.serverAddress]: hostname,
    [ATTRIBUTES.serverPort]: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port),
    ...(attempt.attempt === 0 ? {} : { [ATTRIBUTES.resend]: attempt.attempt }),
    ...(attempt.item === undefined
      ? {}
      : { [NAME.encodeIndex]: attempt.item.index, [NAME.encodeWidth]: attempt.item.width }),
  };
}
