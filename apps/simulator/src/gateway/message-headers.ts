import type { HeaderMap, HeaderMutation } from '#ext-proc';
import type { Received } from './ext-proc.client.ts';

/** Name and value; a name may come several times. Values are latin1, a character a byte, as Node has headers. */
export type HeaderPair = readonly [string, string];

/** Headers as a proxy tells of them: names in lower case, values as bytes. */
export function headerMap(pairs: readonly HeaderPair[]): HeaderMap {
  return {
    headers: pairs.map(([name, value]) => ({ key: name.toLowerCase(), raw_value: Buffer.from(value, 'latin1') })),
  };
}

/** Headers with what is to be removed taken away, and what is to be set in the place of all that had the name. */
export function mutated(pairs: readonly HeaderPair[], mutation: Received<HeaderMutation> = {}): HeaderPair[] {
  const set = (mutation.set_headers ?? []).map(({ header }): HeaderPair => [
    header?.key ?? '',
    header?.raw_value?.toString('latin1') ?? '',
  ]);
  const gone = new Set(
    [...(mutation.remove_headers ?? []), ...set.map(([name]) => name)].map((name) => name.toLowerCase()),
  );
  return [...pairs.filter(([name]) => !gone.has(name.toLowerCase())), ...set];
}

/** The last value of a name, in any case. */
export function valueIn(pairs: readonly HeaderPair[], wanted: string): string | undefined {
  return pairs.findLast(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Without `:method` and its like, which are no headers of HTTP/1. */
export function withoutPseudo(pairs: readonly HeaderPair[]): HeaderPair[] {
  return pairs.filter(([name]) => !name.startsWith(':'));
}
