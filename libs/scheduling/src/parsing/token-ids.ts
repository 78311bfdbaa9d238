import { JsonValue, skipWhitespace } from '#json';
import { SchedulingError } from '../scheduling.error.ts';
import type { Steps } from './paced.ts';

const ZERO = 0x30;
const COMMA = 0x2c;
const CLOSE_BRACKET = 0x5d;
/** Digits of which none make more than the highest id. */
const SAFE_DIGITS = 9;
const HIGHEST = 2 ** 32 - 1;
/** Ids read between two places to rest. */
const RUN = 4096;

/**
 * The ids of a JSON array.
 * @param place where it stands, as errors name it: `prompt[2]`
 * @throws SchedulingError with BadRequest for an element that is no integer from 0 to 2^32-1
 */
export function* readTokenIds(list: JsonValue, place: string): Steps<Uint32Array> {
  const { source } = list;
  if (list.kind !== 'array') throw notIds(place);
  // an id and its comma take two bytes at least
  const ids = new Uint32Array((list.end - list.start) >> 1);
  let at = skipWhitespace(source, list.start + 1);
  if (source[at] === CLOSE_BRACKET) return ids.subarray(0, 0);
  for (let count = 0; ;) {
    let end = digitsEnd(source, at);
    if (isPlain(source, at, end)) {
      ids[count] = plainId(source, at, end);
    } else {
      const item = JsonValue.read(source, at);
      ids[count] = unusualId(item, `${place}[${count}]`);
      end = item.end;
    }
    count++;
    at = skipWhitespace(source, end);
    if (source[at] === CLOSE_BRACKET) return ids.slice(0, count);
    if (source[at] !== COMMA) throw notIds(place);
    at = skipWhitespace(source, at + 1);
    if (count % RUN === 0) yield;
  }
}

function digitsEnd(source: Buffer, start: number): number {
  let end = start;
  while (isDigit(source[end])) end++;
  return end;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

/** Whether the digits in `[start, end)` are all there is of the element, and few. What stands behind them is looked at by the caller. */
function isPlain(source: Buffer, start: number, end: number): boolean {
  const next = source[end] ?? COMMA;
  return end > start && end - start <= SAFE_DIGITS && (next === COMMA || next === CLOSE_BRACKET || next <= 0x20);
}

function plainId(source: Buffer, start: number, end: number): number {
  let id = 0;
  for (let at = start; at < end; at++) id = id * 10 + (source[at] ?? 0) - ZERO;
  return id;
}

/** A long id, or an integer that is written as `3.0` or `1e2`. */
function unusualId(item: JsonValue, place: string): number {
  const id = item.number;
  if (id !== undefined && Number.isInteger(id) && id >= 0 && id <= HIGHEST) return id;
  throw new SchedulingError('BadRequest', `${place} is not a token id from 0 to ${HIGHEST}`);
}

function notIds(place: string): SchedulingError {
  return new SchedulingError('BadRequest', `${place} is not an array of token ids`);
}
