import { MINUS, ZERO, isDigit } from './json-bytes.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

const POINT = 0x2e;
const PLUS = 0x2b;
/** No number has more digits than this in a row; what claims to be one would hold the event loop. */
const MAX_DIGITS = 100_000;

/**
 * Position behind the number that begins at `start` (RFC 8259 section 6).
 * @throws JsonSyntaxError for leading zeros, a bare sign, an empty fraction or exponent, more than 100,000 digits in a row
 */
export function numberEnd(source: Buffer, start: number): number {
  let pos = start;
  if (source[pos] === MINUS) pos++;
  pos = source[pos] === ZERO ? pos + 1 : digitsEnd(source, pos);
  if (source[pos] === POINT) pos = digitsEnd(source, pos + 1);
  const byte = source[pos];
  if (byte === 0x65 || byte === 0x45) {
    const sign = source[pos + 1];
    pos = digitsEnd(source, sign === MINUS || sign === PLUS ? pos + 2 : pos + 1);
  }
  if (isDigit(source[pos])) throw new JsonSyntaxError('syntax', pos);
  return pos;
}

function digitsEnd(source: Buffer, start: number): number {
  let pos = start;
  const last = start + MAX_DIGITS;
  while (pos < last && isDigit(source[pos])) pos++;
  if (pos === start) throw new JsonSyntaxError('syntax', start);
  return pos;
}
