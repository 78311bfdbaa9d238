import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonText } from './json-text.ts';

/** A multiple of 3, so that pieces join without padding between them; about 1 ms each. */
const ENCODED_PIECE = 768 * 1024;

/** Bytes of text looked at in one turn of the event loop; some 5 ms. */
const COUNTED_PIECE = 2 * 1024 * 1024;

const EQUALS_SIGN = 0x3d;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/**
 * Standard base64 with padding, as the bytes of its text. The event loop is let go of after each piece, since 10 MiB at once would
 * hold it for 15 ms.
 */
export async function encodeBase64(bytes: Buffer): Promise<Buffer> {
  const text = Buffer.allocUnsafeSlow(Math.ceil(bytes.length / 3) * 4);
  let written = 0;
  for (let from = 0; from < bytes.length; from += ENCODED_PIECE) {
    if (from > 0) await turnInLine();
    const piece = bytes.toString('base64', from, Math.min(from + ENCODED_PIECE, bytes.length));
    written += text.write(piece, written, 'latin1');
  }
  return text;
}

let line: Promise<unknown> = Promise.resolve();

/** One piece a turn of the event loop, however many texts are being written: a turn of ten pieces would be as long as no turns. */
function turnInLine(): Promise<unknown> {
  line = line.then(() => nextTurn());
  return line;
}

/** Whether base64 text stands for more than `limit` bytes. It is neither decoded nor checked to be base64. */
export async function exceedsDecoded({ bytes, escaped }: JsonText, limit: number): Promise<boolean> {
  if (decodedSize(bytes.length, paddingOf(bytes)) <= limit) return false;
  // An escape is longer than what it stands for, so only a text that looks too large has to be gone through.
  if (!escaped) return true;
  const { characters, padding } = await countCharacters(bytes);
  return decodedSize(characters, padding) > limit;
}

function decodedSize(characters: number, padding: number): number {
  return Math.floor(((characters - padding) * 3) / 4);
}

function paddingOf(bytes: Buffer): number {
  if (bytes.at(-1) !== EQUALS_SIGN) return 0;
  return bytes.at(-2) === EQUALS_SIGN ? 2 : 1;
}

/** Characters of escaped text, and how many of the last two are equals signs (some writers escape those too). */
async function countCharacters(bytes: Buffer): Promise<{ characters: number; padding: number }> {
  let characters = 0;
  let padding = 0;
  let at = 0;
  for (let turn = COUNTED_PIECE; at < bytes.length; turn += COUNTED_PIECE) {
    const until = Math.min(turn, bytes.length);
    for (; at < until; characters++) {
      let code = bytes[at];
      if (code !== BACKSLASH) {
        at++;
      } else if (bytes[at + 1] === LETTER_U) {
        code = parseInt(bytes.toString('latin1', at + 2, at + 6), 16);
        at += 6;
      } else {
        at += 2;
      }
      padding = code === EQUALS_SIGN ? padding + 1 : 0;
    }
    await nextTurn();
  }
  return { characters, padding: Math.min(padding, 2) };
}
