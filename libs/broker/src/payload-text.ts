import { Pacer } from '#foundation';
import type { JsonValue } from '#json';

const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const REPLACEMENT = 0xfffd;

const SIMPLE: Readonly<Record<string, number>> = {
  '"': 0x22,
  '\\': BACKSLASH,
  '/': 0x2f,
  b: 0x08,
  f: 0x0c,
  n: 0x0a,
  r: 0x0d,
  t: 0x09,
};

/**
 * The UTF-8 bytes that a valid JSON string stands for, in steps that leave the event loop free. A lone surrogate, which has no bytes,
 * becomes U+FFFD.
 */
export async function textBytes({ source, start, end }: JsonValue): Promise<Buffer> {
  const last = end - 1;
  const text = source.subarray(0, last);
  // an escape is longer than what it stands for
  const bytes = Buffer.allocUnsafe(last - start - 1);
  const pacer = new Pacer();
  let at = 0;
  for (let pos = start + 1; pos < last;) {
    const escape = text.indexOf(BACKSLASH, pos);
    const plainEnd = escape < 0 ? last : escape;
    at += text.copy(bytes, at, pos, plainEnd);
    if (escape < 0) break;
    const { code, next } = escaped(text, escape);
    at += writeCode(bytes, at, code);
    pos = next;
    if (pacer.isDue()) await pacer.rest();
  }
  return bytes.subarray(0, at);
}

/** The code point of the escape at `pos`, a pair of surrogates as one, and the position behind it. */
function escaped(text: Buffer, pos: number): { readonly code: number; readonly next: number } {
  if (text[pos + 1] !== LOWER_U) {
    const letter = text.toString('latin1', pos + 1, pos + 2);
    return { code: SIMPLE[letter] ?? REPLACEMENT, next: pos + 2 };
  }
  const unit = hex(text, pos + 2);
  const next = pos + 6;
  if (unit < 0xd800 || unit > 0xdfff) return { code: unit, next };
  const second = text[next] === BACKSLASH && text[next + 1] === LOWER_U ? hex(text, next + 2) : 0;
  if (unit > 0xdbff || second < 0xdc00 || second > 0xdfff) return { code: REPLACEMENT, next };
  return { code: 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00), next: next + 6 };
}

function hex(text: Buffer, pos: number): number {
  return Number.parseInt(text.toString('latin1', pos, pos + 4), 16);
}

function writeCode(bytes: Buffer, at: number, code: number): number {
  if (code >= 0x80) return bytes.write(String.fromCodePoint(code), at);
  bytes[at] = code;
  return 1;
}
