import type { HeaderMutation, HeaderValueOption, ReadHeaders } from '#ext-proc';
import { HEADER } from '#protocol';
import { RESERVE_ENDPOINT, prefers, withoutPreference } from '#scheduling';
import { DESTINATION, REMOVED, isEchoed, nominatedBy } from './header-classes.ts';

const TRANSFER_ENCODING = 'transfer-encoding';

/** What the headers of a request become. */
export interface RequestMutation {
  /** As they came. */
  readonly inbound: ReadHeaders;
  /** As plugins left them; empty where none are kept. */
  readonly headers: ReadonlyMap<string, string>;
  /** Trace headers of our own span, which win over those of the client. */
  readonly propagated: ReadonlyMap<string, string>;
  /** `ip:port`, several of them by comma. */
  readonly destination: string;
  /** Bytes; 0 where there is none, and then no length is set. */
  readonly bodyLength: number;
}

/** `epp.md` 1.3, 1.5. */
export function requestMutation({
  inbound,
  headers,
  propagated,
  destination,
  bodyLength,
}: RequestMutation): HeaderMutation {
  const nominated = nominatedBy(inbound.values);
  const set = new Map<string, string>();
  for (const [name, value] of headers) {
    if (isEchoed(name, nominated) && !isLeft(inbound, name, value)) set.set(name, value);
  }
  for (const [name, value] of propagated) set.set(name, value);
  set.set(DESTINATION, destination);
  if (bodyLength > 0) set.set('Content-Length', String(bodyLength));
  const removed = [...REMOVED].filter((name) => inbound.values.has(name) && !set.has(name));
  const prefer = workersPrefer(inbound.values.get(HEADER.prefer));
  if (prefer !== undefined) {
    // taken away before it is set: of a name that came several times, setting it would leave the other lines
    removed.push(HEADER.prefer);
    set.delete(HEADER.prefer);
    if (prefer !== '') set.set(HEADER.prefer, prefer);
  }
  // a body has one framing: the length is ours, and a coding that is said beside it would be the second
  if (bodyLength > 0 && inbound.values.has(TRANSFER_ENCODING)) removed.push(TRANSFER_ENCODING);
  return { set_headers: [...set].map(setHeader), remove_headers: removed };
}

/** What is left for a worker of a `Prefer` of which a part is the picker's; undefined where it stays as it came. */
function workersPrefer(given: string | undefined): string | undefined {
  if (given === undefined || !prefers(given, RESERVE_ENDPOINT)) return undefined;
  return withoutPreference(given, RESERVE_ENDPOINT);
}

/** What cannot be written back as it came: bytes that are no text, and a name that came several times, of which one value is known. */
function isLeft({ opaque, repeated, values }: ReadHeaders, name: string, value: string): boolean {
  return opaque.has(name) || (repeated.has(name) && value === values.get(name));
}

/**
 * `epp.md` 1.6. A name that came several times, as `Set-Cookie` does, is left as it is: writing back its last value would lose the others.
 */
export function responseMutation({ values, repeated, opaque }: ReadHeaders): HeaderMutation {
  const nominated = nominatedBy(values);
  const echoed = [...values].filter(([name]) => isEchoed(name, nominated) && !repeated.has(name) && !opaque.has(name));
  return { set_headers: [setHeader(['x-went-into-resp-headers', 'true']), ...echoed.map(setHeader)] };
}

/** Why the router itself turned a request away. */
export function droppedMutation(reason: string): HeaderMutation {
  return { set_headers: [setHeader([HEADER.droppedReason, reason])] };
}

/** Where the request would go. @param endpoint `ip:port` */
export function reservedMutation(endpoint: string): HeaderMutation {
  const preference: readonly [string, string] = [HEADER.preferenceApplied, RESERVE_ENDPOINT];
  return { set_headers: [setHeader([HEADER.reservedEndpoint, endpoint]), setHeader(preference)] };
}

/** Adding to what is there would double every header that is written back. */
function setHeader([key, value]: readonly [string, string]): HeaderValueOption {
  return { header: { key, raw_value: Buffer.from(value) }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' };
}
