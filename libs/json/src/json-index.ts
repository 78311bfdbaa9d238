import { CLOSE_BRACE, COLON, COMMA, OPEN_BRACE, QUOTE, skipWhitespace } from './json-bytes.ts';
import { decodeKey } from './json-member.ts';
import type { JsonMember } from './json-member.ts';
import { stringEnd, valueEnd } from './json-scan.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

/** An object's members and the position behind its closing brace. */
export interface ObjectIndex {
  readonly members: readonly JsonMember[];
  readonly end: number;
}

/**
 * Members of the object at or behind `pos`. Values are crossed, not checked: for bytes that were validated, or whose sender
 * answers for them.
 * @throws JsonSyntaxError when there is no object, or its own punctuation is broken
 */
export function indexMembers(source: Buffer, pos = 0): ObjectIndex {
  const start = skipWhitespace(source, pos);
  if (source[start] !== OPEN_BRACE) throw new JsonSyntaxError('kind', start);
  const members: JsonMember[] = [];
  let at = skipWhitespace(source, start + 1);
  if (source[at] === CLOSE_BRACE) return { members, end: at + 1 };
  for (;;) {
    const member = readMember(source, at);
    members.push(member);
    at = skipWhitespace(source, member.valueEnd);
    if (source[at] === CLOSE_BRACE) return { members, end: at + 1 };
    if (source[at] !== COMMA) throw new JsonSyntaxError('syntax', at);
    at = skipWhitespace(source, at + 1);
  }
}

function readMember(source: Buffer, keyStart: number): JsonMember {
  if (source[keyStart] !== QUOTE) throw new JsonSyntaxError('syntax', keyStart);
  const keyEnd = stringEnd(source, keyStart);
  const colon = skipWhitespace(source, keyEnd);
  if (source[colon] !== COLON) throw new JsonSyntaxError('syntax', colon);
  const valueStart = skipWhitespace(source, colon + 1);
  return { key: decodeKey(source, keyStart, keyEnd), keyStart, valueStart, valueEnd: valueEnd(source, valueStart) };
}
