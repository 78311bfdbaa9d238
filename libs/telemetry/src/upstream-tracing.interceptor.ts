import { SpanKind } from '@opentelemetry/api';
import type { Attributes } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { firstValue } from '#gateway';
import type { UpstreamAttempt, UpstreamCallInterceptor, UpstreamReply } from '#gateway';
import { HEADER, hostPort, hostPortText } from '#protocol';
import type { AnswerFacts } from './answer-observer.ts';
import { ATTRIBUTES } from './attributes.ts';
import { callAttributes, inCallSpan } from './call-span.ts';
import { isMiss, isRejected } from './error-label.ts';
import { RequestRecords } from './request-record.ts';
import type { RequestRecord } from './request-record.ts';
import { traceHeaders } from './request-trace.ts';
import { Tracing } from './tracing.ts';

/** A CLIENT span for each try of each call, named by its phase; its ids are what goes upstream. */
@Injectable()
export class UpstreamTracing implements UpstreamCallInterceptor {
  constructor(
    private readonly records: RequestRecords,
    private readonly tracing: Tracing,
  ) {}

  intercept(attempt: UpstreamAttempt, next: () => Promise<UpstreamReply>): Promise<UpstreamReply> {
    const record = this.records.of(attempt.scope);
    const spans = record?.trace;
    if (record === undefined || spans === undefined) return next();
    const parent = spans.stepContext ?? spans.pipelineContext ?? spans.serverContext;
    const span =
      spans.server && this.tracing.span(attempt.upstream, SpanKind.CLIENT, parent, attributesOf(attempt, record));
    attempt.trace = traceHeaders(span?.spanContext() ?? spans.ids, attempt.scope.trace);
    if (span === undefined) return next();
    const startedAt = performance.now();
    return inCallSpan(span, attempt, next, {
      isFailure: (status) => isRejected(attempt.upstream, status),
      onEnd: (reply) => {
        if (attempt.upstream === 'reserve-endpoint') span.setAttributes(reservationAttributes(reply));
        if (isDecode(attempt) && !isMiss(attempt.upstream, reply.status))
          span.setAttributes(answerAttributes(record.answer, startedAt));
      },
    });
  }
}

function isDecode({ upstream }: UpstreamAttempt): boolean {
  return upstream === 'decode' || upstream === 'conditional-decode';
}

function attributesOf(attempt: UpstreamAttempt, record: RequestRecord): Attributes {
  return {
    [ATTRIBUTES.phase]: attempt.upstream,
    ...callAttributes(attempt),
    ...(attempt.item === undefined
      ? {}
      : { [ATTRIBUTES.encodeIndex]: attempt.item.index, [ATTRIBUTES.encodeWidth]: attempt.item.width }),
    ...(isDecode(attempt)
      ? { [ATTRIBUTES.requestModel]: record.modelLabel, [ATTRIBUTES.requestStream]: record.isStream }
      : {}),
  };
}

function reservationAttributes(reply: UpstreamReply): Attributes {
  const endpoint = hostPort(firstValue(reply, HEADER.reservedEndpoint) ?? '');
  return endpoint === undefined ? {} : { [ATTRIBUTES.reservedEndpoint]: hostPortText(endpoint) };
}

/** @param startedAt of the call: the convention times the first chunk from there */
function answerAttributes(answer: AnswerFacts | undefined, startedAt: number): Attributes {
  if (answer === undefined) return {};
  const { usage, finishReasons, firstOutputAt } = answer;
  return {
    ...(usage?.inputTokens === undefined ? {} : { [ATTRIBUTES.inputTokens]: usage.inputTokens }),
    ...(usage?.outputTokens === undefined ? {} : { [ATTRIBUTES.outputTokens]: usage.outputTokens }),
    ...(finishReasons.length === 0 ? {} : { [ATTRIBUTES.finishReasons]: [...finishReasons] }),
    ...(firstOutputAt === undefined ? {} : { [ATTRIBUTES.firstChunk]: (firstOutputAt - startedAt) / 1000 }),
  };
}
