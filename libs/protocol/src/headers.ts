/** Header names, lower-case, as they are on the wire. */
export const HEADER = {
  requestId: 'x-request-id',
  prefer: 'prefer',
  retryAfter: 'retry-after',
  droppedReason: 'x-llm-d-request-dropped-reason',
  /** The endpoint that a request is for, `ip:port`; the picker alone reads it. */
  pin: 'x-llm-d-pin-host-port',
  /** The endpoint that the picker names in its answer to `Prefer: reserve-endpoint`, `ip:port`. */
  reservedEndpoint: 'x-llm-d-reserved-host-port',
  preferenceApplied: 'preference-applied',
  revisionDecisionId: 'x-llm-d-revision-decision-id',
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  baggage: 'baggage',
} as const;

/** Meant for one connection only (RFC 9110 section 7.6.1); those that `Connection` names are too. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Words between the endpoint picker and us: a client's copies would choose its own pod (`decisions.md` R5). */
const ROUTING: ReadonlySet<string> = new Set([
  'epp-profile',
  'x-llm-d-epp-profile',
  HEADER.pin,
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  'x-kv-cache-source-host-port',
  'x-data-parallel-host-port',
]);
const DESTINATION_PREFIX = 'x-gateway-destination-endpoint';

/** Whether a client's copy of the header must not reach an upstream. */
export function isRoutingHeader(name: string): boolean {
  return ROUTING.has(name) || name.startsWith(DESTINATION_PREFIX);
}

const INTERNAL_ANSWERS: ReadonlySet<string> = new Set([
  'x-prefiller-host-port',
  'x-encoder-hosts-ports',
  HEADER.reservedEndpoint,
  'x-peer-topology',
]);

/** Whether a header of an upstream's answer must not reach the client (`decisions.md` R5b). */
export function isInternalAnswerHeader(name: string): boolean {
  return INTERNAL_ANSWERS.has(name) || name.startsWith(DESTINATION_PREFIX);
}

/** The names that a `Connection` header lists. */
export function connectionNames(value: string | undefined): ReadonlySet<string> {
  if (value === undefined) return EMPTY;
  return new Set(value.split(',').map((name) => name.trim().toLowerCase()));
}

const EMPTY: ReadonlySet<string> = new Set();
