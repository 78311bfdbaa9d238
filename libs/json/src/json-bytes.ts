/** The bytes that JSON's grammar names. */
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const ZERO = 0x30;
export const NINE = 0x39;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Position of the first byte at or after `pos` that is not JSON white space, or `limit` if that comes first. */
export function skipWhitespace(source: Buffer, pos: number, limit = Infinity): number {
  let byte = source[pos];
  while ((byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) && pos < limit) byte = source[++pos];
  return pos;
}

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE;
}
