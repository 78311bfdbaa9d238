/** A JSON string as it stands in a body: the bytes between its quotes, shared with the body, and whether they hold an escape. */
export interface JsonText {
  readonly bytes: Buffer;
  readonly escaped: boolean;
}

/** One character and the place behind it; anything but ASCII counts as as many characters as it has bytes. */
interface Character {
  readonly code: number;
  readonly end: number;
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

/** The text that the bytes stand for. They are part of a body that was read as valid JSON. */
export function decodeJsonText({ bytes, escaped }: JsonText): string {
  const text = bytes.toString('utf8');
  if (!escaped) return text;
  const decoded: unknown = JSON.parse(`"${text}"`);
  return typeof decoded === 'string' ? decoded : text;
}

/**
 * Reads one character of ASCII, escaped or not, without decoding what is around it. Of the short escapes only `\/`, `\\` and `\"`
 * come out as what they stand for; the others are control characters, and come out as their letter.
 */
export function characterAt(bytes: Buffer, at: number): Character | undefined {
  const code = bytes[at];
  if (code === undefined) return undefined;
  if (code !== BACKSLASH) return { code, end: at + 1 };
  const escape = bytes[at + 1] ?? 0;
  return escape === LETTER_U
    ? { code: parseInt(bytes.toString('latin1', at + 2, at + 6), 16), end: at + 6 }
    : { code: escape, end: at + 2 };
}
