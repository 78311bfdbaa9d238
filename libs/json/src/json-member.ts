import { BACKSLASH, QUOTE } from './json-bytes.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

/** Where one member of an object stands in its source. */
export interface JsonMember {
  /** The key with its escapes resolved, so that `"mod\u0065l"` is `model`. */
  readonly key: string;
  /** Position of the key's opening quote. */
  readonly keyStart: number;
  readonly valueStart: number;
  /** Position behind the value. */
  readonly valueEnd: number;
}

/**
 * The text of a JSON string, quotes included in `[start, end)`. Escapes of lone surrogates become lone surrogates.
 * @throws JsonSyntaxError for an escape JSON does not have, which only bytes that were not validated can hold
 */
export function decodeString(source: Buffer, start: number, end: number): string {
  // The search is bounded to the string: in the whole source it would make every string cost what the document weighs.
  if (!source.subarray(start, end).includes(BACKSLASH)) return source.toString('utf8', start + 1, end - 1);
  try {
    const text: unknown = JSON.parse(source.toString('utf8', start, end));
    return String(text);
  } catch {
    throw new JsonSyntaxError('syntax', start);
  }
}

/** A key is short as a rule: walking it beats a native search, and a plain one needs no decoding. */
export function decodeKey(source: Buffer, start: number, end: number): string {
  for (let pos = start + 1; pos < end - 1; pos++) {
    const byte = source[pos] ?? QUOTE;
    if (byte === BACKSLASH || byte >= 0x80) return decodeString(source, start, end);
  }
  return source.toString('latin1', start + 1, end - 1);
}
