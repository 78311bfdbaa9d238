import { isUtf8 } from 'node:buffer';
import type { HeaderMap, HeaderValue } from './messages.ts';

/** Headers as they came. */
export interface ReadHeaders {
  /** By lower-case name; of a name that came several times, the last value, but of `prefer` the list of all (RFC 7240 2). */
  readonly values: Map<string, string>;
  /** Names that came several times. */
  readonly repeated: ReadonlySet<string>;
  /** Names whose value is no UTF-8 and cannot be written again as it was. */
  readonly opaque: ReadonlySet<string>;
}

const PREFER = 'prefer';

export function readHeaders(map: HeaderMap | undefined): ReadHeaders {
  const values = new Map<string, string>();
  const repeated = new Set<string>();
  const opaque = new Set<string>();
  for (const header of map?.headers ?? []) {
    const name = header.key?.toLowerCase() ?? '';
    if (name === '') continue;
    const before = values.get(name);
    if (before !== undefined) repeated.add(name);
    if (!isText(header)) opaque.add(name);
    values.set(name, joined(name, before, valueOf(header)));
  }
  return { values, repeated, opaque };
}

function joined(name: string, before: string | undefined, value: string): string {
  return name === PREFER && before !== undefined ? `${before}, ${value}` : value;
}

function isText({ raw_value: raw }: HeaderValue): boolean {
  return raw === undefined || isUtf8(raw);
}

function valueOf({ raw_value: raw, value = '' }: HeaderValue): string {
  if (raw === undefined || raw.length === 0) return value;
  return raw.toString(isUtf8(raw) ? 'utf8' : 'latin1');
}
