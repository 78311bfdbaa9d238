import { HEADER, HOP_BY_HOP, connectionNames, isRoutingHeader } from './headers.ts';
import { traceContext } from './trace-context.ts';
import type { TraceContext } from './trace-context.ts';

/** Never sent on as the client wrote them: framing and identity are ours, `Prefer` belongs to the conversation with the picker. */
const OWNED: ReadonlySet<string> = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'host',
  'expect',
  'accept-encoding',
  HEADER.prefer,
  HEADER.requestId,
  HEADER.revisionDecisionId,
  HEADER.traceparent,
  HEADER.tracestate,
  HEADER.baggage,
]);

const CONTENT: ReadonlySet<string> = new Set(['content-type', 'content-encoding']);

/** The parts of a client's headers that go upstream. */
export interface ForwardedHeaders {
  /** Flat: `[name, value, name, value]`, lower-case, the first value of each name. */
  readonly headers: readonly string[];
  readonly trace: TraceContext;
}

/**
 * What of the client's headers goes to render and the gateway.
 * @param raw flat and in the client's order, as Node's `rawHeaders`
 * @param dropped further names, lower-case: the profile header of this deployment, the relayed response headers
 * @param isPassthrough keeps every value of a name, and what describes the body: it goes on as the client sent it
 * @see coordinator.md B.4, decisions.md R5, R5a, R6
 */
export function forwardedHeaders(
  raw: readonly string[],
  dropped: ReadonlySet<string>,
  isPassthrough = false,
): ForwardedHeaders {
  const nominated = connectionNames(valuesOf(raw, 'connection').join(','));
  const seen = new Set<string>();
  const headers: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    if (seen.has(name) && !isPassthrough) continue;
    seen.add(name);
    if (nominated.has(name) || dropped.has(name) || staysHere(name, isPassthrough)) continue;
    headers.push(name, raw[index + 1] ?? '');
  }
  return {
    headers,
    trace: traceContext({
      traceparent: valuesOf(raw, HEADER.traceparent),
      tracestate: valuesOf(raw, HEADER.tracestate),
      baggage: valuesOf(raw, HEADER.baggage),
    }),
  };
}

/** Whether a header is for this hop or for the coordinator, whatever the request and the deployment. */
function staysHere(name: string, isPassthrough: boolean): boolean {
  if (HOP_BY_HOP.has(name) || isRoutingHeader(name)) return true;
  return OWNED.has(name) && !(isPassthrough && CONTENT.has(name));
}

/** Every value of a header, in order. */
export function valuesOf(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const candidate = raw[index] ?? '';
    if (candidate.length === name.length && candidate.toLowerCase() === name) values.push(raw[index + 1] ?? '');
  }
  return values;
}

/** Flat headers without those names; a name that comes several times is kept or left out as often. @param names lower-case, as the headers are */
export function withoutHeaders(flat: readonly string[], names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = flat[index] ?? '';
    if (!names.has(name)) kept.push(name, flat[index + 1] ?? '');
  }
  return kept;
}
