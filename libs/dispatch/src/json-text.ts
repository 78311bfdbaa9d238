import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Rope } from '#json';

/** Bytes that are made JSON in one turn of the event loop: about 2 ms where every tenth is a quote. */
const PIECE = 256 * 1024;
const QUOTE = Buffer.from('"');

/**
 * The JSON string of a text's bytes, in steps that leave the event loop free. Whoever reads it gets the bytes back, but for those that
 * are no UTF-8, in whose place is U+FFFD.
 */
export async function jsonText(bytes: Buffer): Promise<Rope> {
  const parts: Buffer[] = [QUOTE];
  const decoder = isUtf8(bytes) ? undefined : new TextDecoder('utf-8', { ignoreBOM: true });
  for (let at = 0; at < bytes.length; at += PIECE) {
    if (at > 0) await nextTurn();
    const piece = bytes.subarray(at, at + PIECE);
    parts.push(escaped(decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }))));
  }
  if (decoder !== undefined) parts.push(Buffer.from(decoder.decode()));
  parts.push(QUOTE);
  return parts;
}

/** Bytes of a character beyond ASCII need no escape, so each byte can stand for itself. */
function escaped(piece: Buffer): Buffer {
  const text = piece.toString('latin1');
  const found = text.replace(/["\\\x00-\x1f]/g, (character) => ESCAPES.get(character) ?? character);
  return found === text ? piece : Buffer.from(found, 'latin1');
}

const ESCAPES: ReadonlyMap<string, string> = new Map(
  ['"', '\\', ...Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))].map((character) => [
    character,
    JSON.stringify(character).slice(1, -1),
  ]),
);
