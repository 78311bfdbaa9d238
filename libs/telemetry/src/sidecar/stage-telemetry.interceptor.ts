import { SpanKind } from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { isCoded, isEventStream } from '#protocol';
import { StreamObserver } from '../answer-observer.ts';
import { ATTRIBUTES } from '../attributes.ts';
import { bodyFailure, callFailure, isRejected } from '../error-label.ts';
import { traceHeaders } from '../request-trace.ts';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';
import { SIDECAR_ATTRIBUTES as NAME } from './sidecar-attributes.ts';
import type { SidecarRecord, SidecarRequests } from './sidecar-requests.ts';

/** A CLIENT span for each try of each call of a stage, named by the stage; and the time of the engine's first output. */
export class StageTelemetry implements UpstreamCallInterceptor {
  constructor(
    private readonly requests: SidecarRequests,
    private readonly tracing: Tracing,
  ) {}

  async intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const record = this.requests.of(attempt.scope);
    if (record === undefined) return next();
    const span = this.begin(attempt, record);
    try {
      const reply = await next();
      if (attempt.upstream === 'decode') watchOutput(reply, record);
      if (span !== undefined) follow(reply, attempt, span);
      return reply;
    } catch (error) {
      failSpan(span, callFailure(attempt.signal, error));
      span?.end();
      throw error;
    }
  }

  /** The span, whose ids go upstream; without one those of the request do. */
  private begin(attempt: UpstreamAttempt, { trace }: SidecarRecord): Span | undefined {
    if (trace === undefined) return undefined;
    const name = attempt.step === 'bootstrap' ? attempt.step : attempt.upstream;
    const span = trace.server && this.tracing.span(name, SpanKind.CLIENT, trace.serverContext, attributesOf(attempt));
    attempt.trace = traceHeaders(span?.spanContext() ?? trace.ids, attempt.scope.trace);
    return span;
  }
}

function follow(reply: UpstreamReply, attempt: UpstreamAttempt, span: Span): void {
  span.setAttribute(ATTRIBUTES.status, reply.status);
  if (isRejected(attempt.upstream, reply.status)) failSpan(span, String(reply.status));
  reply.body.observe({
    end: (error) => {
      const failure = bodyFailure(attempt.signal, reply.status, error);
      if (failure !== undefined) failSpan(span, failure);
      span.end();
    },
  });
}

function watchOutput({ status, headers, body }: UpstreamReply, record: SidecarRecord): void {
  if (status !== 200 || !isEventStream(headers) || isCoded(headers)) return;
  const onFirstOutput = (now: number): void => {
    record.firstOutput(now);
  };
  body.observe(new StreamObserver(onFirstOutput, () => undefined));
}

function attributesOf(attempt: UpstreamAttempt): Attributes {
  const { hostname, port, protocol } = new URL(attempt.base);
  return {
    [NAME.stage]: attempt.upstream,
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
