import { CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE, isDigit, MINUS, skipWhitespace } from './json-bytes.ts';
import { indexMembers } from './json-index.ts';
import { decodeString } from './json-member.ts';
import type { JsonMember } from './json-member.ts';
import { valueEnd } from './json-scan.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/**
 * One value where it stands, read only as far as it is asked. Nothing is materialized but what a caller reads.
 * Its source is valid JSON, or a service's answer whose faults throw `JsonSyntaxError` when they are met.
 */
export class JsonValue {
  constructor(
    readonly source: Buffer,
    readonly start: number,
    readonly end: number,
  ) {}

  /** The value that stands at or behind `pos`. */
  static read(source: Buffer, pos = 0): JsonValue {
    const start = skipWhitespace(source, pos);
    return new JsonValue(source, start, valueEnd(source, start));
  }

  get kind(): JsonKind {
    const byte = this.source[this.start];
    if (byte === OPEN_BRACE) return 'object';
    if (byte === OPEN_BRACKET) return 'array';
    if (byte === QUOTE) return 'string';
    if (byte === MINUS || isDigit(byte)) return 'number';
    if (byte === 0x6e) return 'null';
    if (byte === 0x74 || byte === 0x66) return 'boolean';
    throw new JsonSyntaxError('syntax', this.start);
  }

  /** The value's own bytes, shared with the source. */
  get bytes(): Buffer {
    return this.source.subarray(this.start, this.end);
  }

  /** The text of a string; undefined for any other kind. */
  get string(): string | undefined {
    return this.kind === 'string' ? decodeString(this.source, this.start, this.end) : undefined;
  }

  /** Whether the value is the literal `true`. */
  get isTrue(): boolean {
    return this.source[this.start] === 0x74;
  }

  get isNull(): boolean {
    return this.source[this.start] === 0x6e;
  }

  /** The number, for small integers such as offsets; undefined for any other kind. Precision is that of a double. */
  get number(): number | undefined {
    return this.kind === 'number' ? Number(this.source.toString('latin1', this.start, this.end)) : undefined;
  }

  /** Members of an object in their order, repeated keys included; none for any other kind. */
  members(): readonly JsonMember[] {
    return this.kind === 'object' ? indexMembers(this.source, this.start).members : [];
  }

  /** The value of a member that `members` listed. */
  at(member: JsonMember): JsonValue {
    return new JsonValue(this.source, member.valueStart, member.valueEnd);
  }

  /** The last member of that key. */
  member(key: string): JsonValue | undefined {
    const found = this.members().findLast((member) => member.key === key);
    return found === undefined ? undefined : this.at(found);
  }

  /** Items of an array; none for any other kind. */
  *items(): Generator<JsonValue, void> {
    if (this.kind !== 'array') return;
    let pos = skipWhitespace(this.source, this.start + 1);
    if (this.source[pos] === CLOSE_BRACKET) return;
    for (;;) {
      const item = JsonValue.read(this.source, pos);
      yield item;
      pos = skipWhitespace(this.source, item.end);
      if (this.source[pos] === CLOSE_BRACKET) return;
      if (this.source[pos] !== COMMA) throw new JsonSyntaxError('syntax', pos);
      pos++;
    }
  }
}
