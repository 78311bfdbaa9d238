import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { callAttributes, inCallSpan } from '../call-span.ts';
import { traceHeaders } from '../request-trace.ts';
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
    if (span === undefined) return next();
    return inCallSpan(span, attempt, next, { isFailure: (status) => isFailure(attempt, status) });
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
  return {
    ...(attempt.upstream === 'passthrough' ? {} : { [NAME.stage]: attempt.upstream }),
    ...callAttributes(attempt),
    ...(attempt.item === undefined
      ? {}
      : { [NAME.encodeIndex]: attempt.item.index, [NAME.encodeWidth]: attempt.item.width }),
  };
}
