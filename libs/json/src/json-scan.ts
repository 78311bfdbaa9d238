import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  isDigit,
  skipWhitespace,
} from './json-bytes.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { knownEnd, noteEnd } from './long-strings.ts';

/** Below this, looking at each byte is cheaper than a call into native code. */
const WALKED = 48;
/** Length from which an array of numbers is crossed by native search. */
const FLAT_FROM = 256;

/**
 * End of the string whose opening quote is at `start`: the position behind its closing quote.
 * A long string is crossed by a native search for the quote; a quote behind an odd number of backslashes is part of the string,
 * and where there is one there are more, so that a stretch is walked before the next search.
 * @throws JsonSyntaxError when it does not end
 */
export function stringEnd(source: Buffer, start: number): number {
  const end = walkedEnd(source, start + 1);
  if (end >= 0) return end;
  const found = knownEnd(source, start) ?? searchedEnd(source, start, ~end);
  noteEnd(source, start, found);
  return found;
}

/** The end of a string if a short walk leads to it; else where the walk stopped, its bits turned over and so below 0. */
function walkedEnd(source: Buffer, from: number): number {
  let pos = from;
  for (const walked = Math.min(source.length, pos + WALKED); pos < walked; pos++) {
    const byte = source[pos];
    if (byte === QUOTE) return pos + 1;
    if (byte === BACKSLASH) pos++;
  }
  return ~pos;
}

function searchedEnd(source: Buffer, start: number, from: number): number {
  for (let pos = from; ;) {
    const quote = source.indexOf(QUOTE, pos);
    if (quote === -1) throw new JsonSyntaxError('syntax', start);
    if (!isEscaped(source, quote, pos)) return quote + 1;
    const end = walkedEnd(source, quote + 1);
    if (end >= 0) return end;
    pos = ~end;
  }
}

/** Whether the byte at `pos` has an odd number of backslashes before it, none of them before `from`. */
function isEscaped(source: Buffer, pos: number, from: number): boolean {
  let first = pos;
  while (first > from && source[first - 1] === BACKSLASH) first--;
  return (pos - first) % 2 === 1;
}

/**
 * End of the value that begins at `start`, crossed without a look at its grammar: for bytes that were validated, or that
 * another service answers for. Strings and flat arrays of numbers are crossed by native search.
 * @throws JsonSyntaxError when it does not end
 */
export function valueEnd(source: Buffer, start: number): number {
  const byte = source[start];
  if (byte === QUOTE) return stringEnd(source, start);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return containerEnd(source, start);
  return scalarEnd(source, start);
}

function scalarEnd(source: Buffer, start: number): number {
  let pos = start;
  for (; pos < source.length; pos++) {
    const byte = source[pos];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === undefined || byte <= 0x20) break;
  }
  if (pos === start) throw new JsonSyntaxError('syntax', start);
  return pos;
}

function containerEnd(source: Buffer, start: number): number {
  let depth = 0;
  let close = -1;
  for (let pos = start; pos < source.length; pos++) {
    const byte = source[pos];
    if (byte === QUOTE) {
      pos = stringEnd(source, pos) - 1;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return pos + 1;
    } else if (byte === OPEN_BRACE) {
      depth++;
    } else if (byte === OPEN_BRACKET) {
      depth++;
      close = closeBehind(source, pos, close);
      if (isFlat(source, pos, close)) pos = close - 1;
    }
  }
  throw new JsonSyntaxError('syntax', start);
}

/**
 * The first `]` behind the array at `start` if that begins with a number, the end of the source if there is none.
 * @param known the answer for an earlier array, which holds for all that begin before it; nested arrays are not searched twice
 */
function closeBehind(source: Buffer, start: number, known: number): number {
  if (known > start || !isDigit(source[skipWhitespace(source, start + 1)])) return known;
  const close = source.indexOf(CLOSE_BRACKET, start);
  return close === -1 ? source.length : close;
}

/**
 * Whether the array at `start` is a long one that holds numbers alone and so ends at `close`.
 * `[` is looked for first: it is not far where arrays are nested, and no array before `close` costs more than the way to the next.
 */
function isFlat(source: Buffer, start: number, close: number): boolean {
  if (close - start < FLAT_FROM || !isDigit(source[skipWhitespace(source, start + 1)])) return false;
  const inside = source.subarray(start + 1, close);
  return !inside.includes(OPEN_BRACKET) && !inside.includes(OPEN_BRACE) && !inside.includes(QUOTE);
}
