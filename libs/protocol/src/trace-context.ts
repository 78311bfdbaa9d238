/** W3C trace context of a request as it goes upstream; undefined members are not sent. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
  readonly baggage?: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
/** The most that is carried on, as W3C Baggage asks of every platform. */
const MAX_BAGGAGE = 8192;

/**
 * The client's trace context, or nothing of it when it is malformed: a doubled or invalid `traceparent` starts no trace of
 * its own here, and a `tracestate` without its parent means nothing. Baggage over 8192 bytes is dropped.
 * @param values every value of each header, in order
 * @see https://www.w3.org/TR/trace-context-1/
 */
export function traceContext(values: {
  readonly traceparent: readonly string[];
  readonly tracestate: readonly string[];
  readonly baggage: readonly string[];
}): TraceContext {
  const baggage = values.baggage.join(',');
  const carried = baggage !== '' && baggage.length <= MAX_BAGGAGE ? { baggage } : {};
  const [traceparent] = values.traceparent;
  if (traceparent === undefined || values.traceparent.length > 1 || !isValid(traceparent)) return carried;
  const tracestate = values.tracestate.join(',');
  return { traceparent, ...(tracestate === '' ? {} : { tracestate }), ...carried };
}

function isValid(traceparent: string): boolean {
  if (!TRACEPARENT.test(traceparent)) return false;
  return !traceparent.startsWith('00-') || traceparent.length === 55;
}
