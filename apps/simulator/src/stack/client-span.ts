import type { LoggedCall } from '../control/request-log.ts';
import type { ReceivedSpan } from './otlp-trace.schema.ts';
import { SHOWN } from './span-attributes.ts';

/**
 * The server span of a client's request at a gateway that has made one: the gateways here export none, and tell of it with the
 * `traceparent` that they sent on. Undefined for any other call.
 */
export function clientSpan(call: LoggedCall): ReceivedSpan | undefined {
  const { traceparent } = call.facts;
  if (call.phase !== 'client' || typeof traceparent !== 'string') return undefined;
  const [, traceId = '', spanId = ''] = traceparent.split('-');
  const { method, path, startedAt, durationMs = 0 } = call;
  return {
    traceId,
    spanId,
    parentSpanId: undefined,
    name: `${method} ${path.replace(/\?.*/, '')}`,
    isServer: true,
    startedAt,
    endedAt: startedAt + durationMs,
    attributes: attributesOf(call),
    error: call.outcome === 'complete' ? undefined : call.outcome,
  };
}

function attributesOf({ requestId = '', status }: LoggedCall): ReceivedSpan['attributes'] {
  return { [SHOWN.requestId]: requestId, ...(status === undefined ? {} : { [SHOWN.status]: status }) };
}
