import { SpanKind } from '@opentelemetry/api';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { callAttributes, inCallSpan } from '../call-span.ts';
import { traceHeaders } from '../request-trace.ts';
import type { Tracing } from '../tracing.ts';

/** A CLIENT span for each try of each call of the coordinator, beneath that of the message; its ids are what goes out. */
export class DispatchTracing implements UpstreamCallInterceptor {
  constructor(private readonly tracing: Tracing) {}

  intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const trace = this.tracing.begin(attempt.scope, 'dispatch', callAttributes(attempt), SpanKind.CLIENT);
    const span = trace?.server;
    if (span === undefined) return next();
    attempt.trace = traceHeaders(span.spanContext(), attempt.scope.trace);
    return inCallSpan(span, attempt, next, { isFailure: (status) => status >= 400 });
  }
}
