import type { JsonValue } from '#json';
import type { Steps } from './paced.ts';

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** What a letter behind a backslash stands for; any other stands for itself. */
const CONTROLS: ReadonlyMap<number, number> = new Map([
  [0x62, 0x08],
  [0x66, 0x0c],
  [0x6e, 0x0a],
  [0x72, 0x0d],
  [0x74, 0x09],
]);
/** Escapes read between two places to rest. */
const RUN = 512;
/** Bytes up to which a stretch without escapes is short. */
const WALKED = 32;

/** The UTF-8 of a JSON string: shared with the body where nothing in it is escaped. A lone surrogate becomes U+FFFD. */
export function* stringBytes({ source, start, end }: JsonValue): Steps<Buffer> {
  const raw = source.subarray(start + 1, end - 1);
  let escape = raw.indexOf(BACKSLASH);
  if (escape === -1) return raw;
  const out = Buffer.allocUnsafe(raw.length);
  let length = 0;
  let at = 0;
  for (let count = 1; escape < raw.length; count++) {
    length = copied(raw, at, escape, out, length);
    at = escape;
    if (raw[at + 1] === LETTER_U) {
      const end = unitEnd(raw, at);
      length += out.write(textOf(raw, at, end), length);
      at = end;
    } else {
      const letter = raw[at + 1] ?? BACKSLASH;
      out[length++] = CONTROLS.get(letter) ?? letter;
      at += 2;
    }
    escape = nextEscape(raw, at);
    if (count % RUN === 0) yield;
  }
  return out.subarray(0, copied(raw, at, raw.length, out, length));
}

/** A short stretch is walked, for which a call into native code costs more. @returns the end where there is none */
function nextEscape(raw: Buffer, from: number): number {
  const walked = Math.min(raw.length, from + WALKED);
  for (let at = from; at < walked; at++) if (raw[at] === BACKSLASH) return at;
  const found = walked === raw.length ? -1 : raw.indexOf(BACKSLASH, walked);
  return found === -1 ? raw.length : found;
}

/** @returns bytes in `out` with those of the stretch */
function copied(raw: Buffer, from: number, to: number, out: Buffer, length: number): number {
  if (to - from > WALKED) return length + raw.copy(out, length, from, to);
  for (let at = from; at < to; at++) out[length++] = raw[at] ?? 0;
  return length;
}

/** Behind an escape by number, or behind two of them that make up one character. */
function unitEnd(raw: Buffer, at: number): number {
  const isPair =
    isSurrogate(codeAt(raw, at), 0xd800) && raw[at + 7] === LETTER_U && isSurrogate(codeAt(raw, at + 6), 0xdc00);
  return isPair && raw[at + 6] === BACKSLASH ? at + 12 : at + 6;
}

/** Written to a buffer, a surrogate without its other half becomes U+FFFD by itself. */
function textOf(raw: Buffer, at: number, end: number): string {
  return end - at === 6
    ? String.fromCharCode(codeAt(raw, at))
    : String.fromCharCode(codeAt(raw, at), codeAt(raw, at + 6));
}

function codeAt(raw: Buffer, at: number): number {
  return parseInt(raw.toString('latin1', at + 2, at + 6), 16);
}

function isSurrogate(code: number, first: number): boolean {
  return code >= first && code < first + 0x400;
}
