import { PARTS } from './label-values.ts';
import type { RequestRecord } from './request-record.ts';

/** The fields of `request finished`: how it went, where its time went, and not a word of its content. Times are milliseconds. */
export function requestSummary(record: RequestRecord): Record<string, unknown> {
  const { answer } = record;
  return {
    'x-request-id': record.id,
    ...(record.trace === undefined ? {} : { trace_id: record.trace.ids.traceId, span_id: record.trace.ids.spanId }),
    route: record.route,
    path: record.path,
    model: record.modelLabel,
    stream: record.isStream,
    status: record.status,
    outcome: record.outcome,
    execution_path: record.executionPath,
    duration_ms: rounded((record.endedAt ?? performance.now()) - record.startedAt),
    ...(answer?.firstOutputAt === undefined
      ? {}
      : { time_to_first_token_ms: rounded(answer.firstOutputAt - record.startedAt) }),
    parts_ms: partTimes(record),
    input_tokens: record.inputTokens ?? answer?.usage?.inputTokens,
    output_tokens: answer?.usage?.outputTokens,
    cached_tokens: answer?.usage?.cachedTokens,
    upstream_attempts: record.attemptCount,
    ...(record.error === undefined ? {} : { error_code: record.error.code }),
  };
}

/** The parts that took any time. */
export function partTimes(record: RequestRecord): Record<string, number> {
  const times = PARTS.map((part) => [part, rounded(record.clock.parts[part])] as const);
  return Object.fromEntries(times.filter(([, time]) => time > 0));
}

export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
