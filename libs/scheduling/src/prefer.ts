import { RequestNote } from './request-note.ts';

/** An answer only where one is at hand: conditional decode. */
export const IF_AVAILABLE = 'if-available';
/** The name of the endpoint that a request would go to, in the place of an answer from there. */
export const RESERVE_ENDPOINT = 'reserve-endpoint';

/**
 * Whether a `Prefer` header has the preference as an item of its list, in any case, whatever parameters follow it (RFC 7240). What stands
 * in quotes is a value and no item.
 * @param preference in lower case
 */
export function prefers(header: string | undefined, preference: string): boolean {
  return header !== undefined && itemsOf(header).some((item) => nameOf(item) === preference);
}

/** The list without that preference; empty where nothing else is in it. */
export function withoutPreference(header: string, preference: string): string {
  const others = itemsOf(header).filter((item) => nameOf(item) !== preference);
  return others
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .join(', ');
}

/** A plugin has looked at the wish of a `Prefer: if-available`, so that nobody else refuses it. */
export const GATED = new RequestNote<true>('conditional-decode:gated');

/** A plugin has heeded a `Prefer: reserve-endpoint`: the request is answered with its endpoint, and goes nowhere. */
export const RESERVED = new RequestNote<true>('reserve-endpoint:reserved');

export const NOT_CACHED = 'no decode worker has the requested KV cache';
export const NO_GATE = 'conditional-decode request received but no gate plugin is configured';

/** Its length is the client's to choose, so that it is gone through once. */
function itemsOf(header: string): readonly string[] {
  const items: string[] = [];
  let begin = 0;
  let isQuoted = false;
  for (let at = 0; at < header.length; at++) {
    const char = header[at];
    if (isQuoted && char === '\\') at++;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === ',' && !isQuoted) {
      items.push(header.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...items, header.slice(begin)];
}

function nameOf(item: string): string | undefined {
  return item.split(';', 1)[0]?.trim().toLowerCase();
}
