import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  isDigit,
  skipWhitespace,
} from './json-bytes.ts';
import { decodeKey } from './json-member.ts';
import type { JsonMember } from './json-member.ts';
import { numberEnd } from './json-number.ts';
import { JsonSyntaxError, MAX_DEPTH, MAX_KEY, MAX_MEMBERS } from './json-syntax.error.ts';
import { noteEnd } from './long-strings.ts';
import { StringWords, escapeEnd } from './string-words.ts';

/** What may come next. */
type Expected = 'value' | 'value-or-close' | 'key' | 'key-or-close' | 'colon' | 'next' | 'rest-of-string';

const LITERALS: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((text) => [text.charCodeAt(0), Buffer.from(text)]),
);

/**
 * Reads a document once: checks all of it against RFC 8259 and `MAX_DEPTH`, and notes the members of the outermost object.
 * It keeps its own stack and can stop and go on anywhere, so neither depth nor size nor content of a document can exhaust
 * the call stack or hold the event loop.
 */
export class JsonValidator {
  /** Members of the outermost object in their order, repeated keys included; complete once `run` has returned true. */
  readonly members: JsonMember[] = [];
  /** The opening bracket or brace of each level. */
  private readonly openers: number[] = [];
  private readonly words: StringWords;
  private depth = 0;
  private expected: Expected = 'value';
  private pos = 0;
  /** The string being read; `isKey` tells what it is. */
  private string = { start: 0, isKey: false };
  /** The member of the outermost object being read. */
  private member: { key: string; keyStart: number; valueStart: number } | undefined;
  /** Bytes that may still be walked in this run. */
  private credit = 0;

  constructor(private readonly source: Buffer) {
    this.words = new StringWords(source);
  }

  /**
   * Goes on for about `budget` bytes.
   * @returns whether the document is done
   * @throws JsonSyntaxError
   */
  run(budget = Infinity): boolean {
    this.credit = budget;
    while (this.credit > 0) {
      const before = this.pos;
      if (this.expected !== 'rest-of-string') {
        const limit = before + this.credit;
        this.pos = skipWhitespace(this.source, before, limit);
        if (this.pos >= limit) return false;
      }
      if (this.expected === 'next' && this.depth === 0) {
        if (this.pos < this.source.length) throw this.fault();
        return true;
      }
      this.token();
      this.credit -= this.pos - before + 1;
    }
    return false;
  }

  private token(): void {
    switch (this.expected) {
      case 'next':
        return this.afterValue();
      case 'key-or-close':
        return this.at(CLOSE_BRACE) ? this.close() : this.openString(true);
      case 'key':
        return this.openString(true);
      case 'colon':
        return this.colon();
      case 'value-or-close':
        return this.at(CLOSE_BRACKET) ? this.close() : this.value();
      case 'value':
        return this.value();
      case 'rest-of-string':
        return this.restOfString();
    }
  }

  private value(): void {
    const byte = this.source[this.pos];
    if (this.depth === 1 && this.member !== undefined && this.member.valueStart === -1) {
      this.member.valueStart = this.pos;
    }
    if (byte === QUOTE) {
      this.openString(false);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      this.open(byte);
    } else if (byte === MINUS || isDigit(byte)) {
      this.numbers();
    } else {
      this.pos = this.literalEnd(byte);
      this.valueDone();
    }
  }

  /** One number, and in an array all that follow it directly: token arrays pass here without a turn of the outer loop each. */
  private numbers(): void {
    const source = this.source;
    let pos = numberEnd(source, this.pos);
    if (this.depth > 0 && this.openers[this.depth - 1] === OPEN_BRACKET) {
      const last = Math.min(source.length, this.pos + this.credit);
      while (pos < last && source[pos] === COMMA && isDigit(source[pos + 1])) pos = numberEnd(source, pos + 1);
    }
    this.pos = pos;
    this.valueDone();
  }

  private literalEnd(byte: number | undefined): number {
    const literal = byte === undefined ? undefined : LITERALS.get(byte);
    if (literal === undefined) throw this.fault();
    const end = this.pos + literal.length;
    if (this.source.compare(literal, 0, literal.length, this.pos, Math.min(end, this.source.length)) !== 0) {
      throw this.fault();
    }
    return end;
  }

  private open(opener: number): void {
    if (this.depth === MAX_DEPTH) throw new JsonSyntaxError('depth', this.pos);
    this.openers[this.depth++] = opener;
    this.pos++;
    this.expected = opener === OPEN_BRACE ? 'key-or-close' : 'value-or-close';
  }

  private close(): void {
    this.depth--;
    this.pos++;
    this.valueDone();
  }

  private openString(isKey: boolean): void {
    if (!this.at(QUOTE)) throw this.fault();
    this.string = { start: this.pos, isKey };
    this.pos++;
    this.restOfString();
  }

  private restOfString(): void {
    const source = this.source;
    const last = Math.min(source.length, this.pos + Math.max(this.credit, 64));
    let pos = this.words.next(this.pos, last);
    while (pos < last && source[pos] === BACKSLASH) pos = this.words.next(escapeEnd(source, pos), last);
    this.pos = pos;
    if (source[pos] === QUOTE) {
      this.pos++;
      this.stringDone();
    } else if (pos < last || pos >= source.length) {
      throw this.fault();
    } else {
      this.expected = 'rest-of-string';
    }
  }

  private stringDone(): void {
    const { start, isKey } = this.string;
    noteEnd(this.source, start, this.pos);
    if (!isKey) return this.valueDone();
    this.expected = 'colon';
    if (this.depth === 1) {
      const isTooMuch = this.members.length === MAX_MEMBERS || this.pos - start > MAX_KEY;
      if (isTooMuch) throw new JsonSyntaxError('size', start);
      this.member = { key: decodeKey(this.source, start, this.pos), keyStart: start, valueStart: -1 };
    }
  }

  private colon(): void {
    if (!this.at(COLON)) throw this.fault();
    this.pos++;
    this.expected = 'value';
  }

  private valueDone(): void {
    this.expected = 'next';
    if (this.depth !== 1 || this.member === undefined) return;
    this.members.push({ ...this.member, valueEnd: this.pos });
    this.member = undefined;
  }

  private afterValue(): void {
    const opener = this.openers[this.depth - 1];
    if (this.at(COMMA)) {
      this.pos++;
      this.expected = opener === OPEN_BRACE ? 'key' : 'value';
    } else if (this.at(opener === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET)) {
      this.close();
    } else {
      throw this.fault();
    }
  }

  private at(byte: number | undefined): boolean {
    return this.source[this.pos] === byte;
  }

  private fault(): JsonSyntaxError {
    return new JsonSyntaxError('syntax', this.pos);
  }
}
