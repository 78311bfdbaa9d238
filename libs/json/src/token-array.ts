import { CLOSE_BRACKET, COMMA, MINUS, NINE, OPEN_BRACKET, ZERO, isDigit, skipWhitespace } from './json-bytes.ts';
import { numberEnd } from './json-number.ts';
import { TokenWords } from './token-words.ts';

/** Why an array is not one of token ids: the index of the element at fault, or -1 when it is no array. */
export class TokenArrayError extends Error {
  constructor(readonly index: number) {
    super(index === -1 ? 'not an array of token ids' : `element ${index} is not a token id`);
    this.name = 'TokenArrayError';
  }
}

/** Digits that are certain to be below 2^53, so that no value needs to be computed. */
const SAFE_DIGITS = 15;
const MAX_ID = 2n ** 63n - 1n;
/** Elements that are looked at one by one after a run that was short, so that unusual arrays cost no more for it. */
const PATIENCE = 64;

/**
 * Token ids as the bytes they came in, validated in one scan and never turned into numbers (`decisions.md` B3).
 */
export class TokenArray {
  private constructor(
    /** The whole array, brackets and white space included. */
    readonly bytes: Buffer,
    readonly count: number,
    /** Position behind the array in the buffer it was scanned in. */
    readonly end: number,
  ) {}

  /**
   * Scans the array at or behind `pos`. An element is a non-negative integer of at most 63 bits; `3.0` and `1e2` count as
   * integers, judged by the double they stand for.
   * @throws TokenArrayError
   */
  static scan(source: Buffer, pos = 0): TokenArray {
    const start = skipWhitespace(source, pos);
    if (source[start] !== OPEN_BRACKET) throw new TokenArrayError(-1);
    const first = skipWhitespace(source, start + 1);
    if (source[first] === CLOSE_BRACKET) return new TokenArray(source.subarray(start, first + 1), 0, first + 1);
    const { count, close } = scanElements(source, first);
    return new TokenArray(source.subarray(start, close + 1), count, close + 1);
  }

  /** The ids at the given indexes, as they are written; undefined where an index is out of range. One pass. */
  at(indexes: readonly number[]): (string | undefined)[] {
    const wanted = new Map<number, string | undefined>(indexes.map((index) => [index, undefined]));
    const highest = indexes.reduce((high, index) => (index > high ? index : high), -1);
    const last = Math.min(highest, this.count - 1);
    let start = 1;
    for (let index = 0; index <= last; index++) {
      let end = start;
      while (this.bytes[end] !== COMMA && end < this.bytes.length - 1) end++;
      if (wanted.has(index)) wanted.set(index, this.bytes.toString('latin1', start, end).trim());
      start = end + 1;
    }
    return indexes.map((index) => wanted.get(index));
  }
}

/** @param first where the first element begins; @returns how many there are, and where the closing bracket is */
function scanElements(source: Buffer, first: number): { count: number; close: number } {
  const words = new TokenWords(source);
  let count = 0;
  let nextRun = 0;
  let at = first;
  for (;;) {
    if (count >= nextRun && words.isAligned(at)) {
      const run = words.run(at);
      count += run.count;
      at = skipWhitespace(source, run.end);
      nextRun = run.count < PATIENCE ? count + PATIENCE : count;
    }
    at = skipWhitespace(source, elementEnd(source, at, count));
    count++;
    if (source[at] === CLOSE_BRACKET) return { count, close: at };
    if (source[at] !== COMMA) throw new TokenArrayError(count - 1);
    at++;
    if (!isDigit(source[at])) at = skipWhitespace(source, at);
  }
}

function elementEnd(source: Buffer, start: number, index: number): number {
  let end = start;
  let byte = source[end] ?? 0;
  while (byte >= ZERO && byte <= NINE) byte = source[++end] ?? 0;
  return isPlainId(source, start, end) && endsElement(byte) ? end : unusualElementEnd(source, start, index);
}

/** Whether the digits in `[start, end)` are an id whose value need not be computed. */
function isPlainId(source: Buffer, start: number, end: number): boolean {
  const digits = end - start;
  return digits > 0 && digits <= SAFE_DIGITS && (digits === 1 || source[start] !== ZERO);
}

/** What else is no white space is refused by the caller. */
function endsElement(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_BRACKET || byte <= 0x20;
}

/** An element that is not a short run of digits: a large id, `3.0`, or no id at all. */
function unusualElementEnd(source: Buffer, start: number, index: number): number {
  const byte = source[start];
  if (!isDigit(byte) && byte !== MINUS) throw new TokenArrayError(index);
  let end;
  try {
    end = numberEnd(source, start);
  } catch {
    throw new TokenArrayError(index);
  }
  const text = source.toString('latin1', start, end);
  if (/^\d+$/.test(text) ? text.length > 19 || BigInt(text) > MAX_ID : !isIntegral(Number(text))) {
    throw new TokenArrayError(index);
  }
  return end;
}

function isIntegral(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 63;
}
