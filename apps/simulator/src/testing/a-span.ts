import type { ReceivedSpan } from '../stack/otlp-trace.schema.ts';

/** A span from `from` to `to` milliseconds. */
export function aSpan(
  spanId: string,
  parentSpanId: string | undefined,
  [from, to]: readonly [number, number],
  rest: Partial<ReceivedSpan> = {},
): ReceivedSpan {
  return {
    traceId: 't-1',
    spanId,
    parentSpanId,
    name: spanId,
    isServer: false,
    startedAt: 1000 + from,
    endedAt: 1000 + to,
    attributes: {},
    error: undefined,
    ...rest,
  };
}
