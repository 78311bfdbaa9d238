import { PARTS } from './label-values.ts';
import type { RequestRecord } from './request-record.ts';

/** The fields of `request finished`: how it went, where its time went, and not a word of its content. Times are milliseconds. */
export function requestSummary(record: RequestRecord): Record<string, unknown> {
  return {
    ...requestIds(record),
    route: record.route,
    path: record.path,
    model: record.modelLabel,
    stream: record.isStream,
    status: record.status,
    outcome: record.outcome,
    execution_path: record.executionPath,
    duration_ms: rounded((record.endedAt ?? performance.now()) - record.startedAt),
    ...firstTokenTime(record),
    parts_ms: partTimes(record),
    ...tokenCounts(record),
    upstream_attempts: record.attemptCount,
    ...(record.error === undefined ? {} : { error_code: record.error.code }),
  };
}

/** What a line about the request is found by. */
export function requestIds({ id, trace }: RequestRecord): Record<string, string> {
  return {
    'x-request-id': id,
    ...(trace === undefined ? {} : { trace_id: trace.ids.traceId, span_id: trace.ids.spanId }),
  };
}

function firstTokenTime({ answer, startedAt }: RequestRecord): Record<string, number> {
  return answer?.firstOutputAt === undefined
    ? {}
    : { time_to_first_token_ms: rounded(answer.firstOutputAt - startedAt) };
}

function tokenCounts({ answer, inputTokens }: RequestRecord): Record<string, number | undefined> {
  const usage = answer?.usage;
  return {
    input_tokens: inputTokens ?? usage?.inputTokens,
    output_tokens: usage?.outputTokens,
    cached_tokens: usage?.cachedTokens,
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
