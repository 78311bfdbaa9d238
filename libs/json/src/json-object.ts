import { changeSplices } from './change-splices.ts';
import type { Changes } from './change-splices.ts';
import { OPEN_BRACE } from './json-bytes.ts';
import { indexMembers } from './json-index.ts';
import type { JsonMember } from './json-member.ts';
import { joinRope } from './json-rope.ts';
import type { Rope } from './json-rope.ts';
import { appendSpliced, coverSplices, mergeSplices } from './json-splice.ts';
import type { Splice } from './json-splice.ts';
import { JsonValue } from './json-value.ts';

const NO_CHANGES: Changes = new Map();

/**
 * An object as it came, with changes beside it: nothing is copied until it is sent, and then only references. Immutable;
 * each change gives a new object that shares the bytes and the index of the old one.
 *
 * What is not changed goes out byte for byte: white space, order, escapes, digits, repeated keys (`decisions.md` B1).
 * A replaced value stays where it stood, a repeated key keeps its last place, an added key goes to the end (B2, B6).
 */
export class JsonObject {
  private constructor(
    private readonly source: Buffer,
    private readonly end: number,
    private readonly members: readonly JsonMember[],
    private readonly changes: Changes,
    private readonly splices: readonly Splice[],
  ) {}

  /**
   * Of an object that was validated, or whose sender answers for it.
   * @param members its index, where there is one already
   * @throws JsonSyntaxError
   */
  static of(source: Buffer, members?: readonly JsonMember[]): JsonObject {
    if (members === undefined) {
      const index = indexMembers(source);
      return new JsonObject(source, index.end, index.members, NO_CHANGES, []);
    }
    return new JsonObject(source, source.length, members, NO_CHANGES, []);
  }

  /** Keys in their order, each once; removed ones are not among them. */
  keys(): string[] {
    const keys = new Set(this.members.map((member) => member.key));
    for (const [key, value] of this.changes) {
      if (value === undefined) keys.delete(key);
      else keys.add(key);
    }
    return [...keys];
  }

  /** The value of a key as `set` and `remove` left it, without splices; of repeated keys the last (B2). */
  get(key: string): JsonValue | undefined {
    if (this.changes.has(key)) {
      const changed = this.changes.get(key);
      return changed === undefined ? undefined : JsonValue.read(joinRope(changed));
    }
    const member = this.members.findLast((candidate) => candidate.key === key);
    return member === undefined ? undefined : new JsonValue(this.source, member.valueStart, member.valueEnd);
  }

  /** The bytes of a key's value, with every change in them. */
  valueBytes(key: string): Rope | undefined {
    if (this.changes.has(key)) return this.changes.get(key);
    const value = this.get(key);
    return value === undefined ? undefined : this.bytesOf(value);
  }

  /** The bytes of a value that `get` led to, with the splices made in it. */
  bytesOf(value: JsonValue): Rope {
    if (value.source !== this.source) return [value.bytes];
    const parts: Buffer[] = [];
    appendSpliced(parts, this.source, value.start, value.end, this.splices);
    return parts;
  }

  has(key: string): boolean {
    return this.changes.has(key)
      ? this.changes.get(key) !== undefined
      : this.members.some((member) => member.key === key);
  }

  set(key: string, value: Rope): JsonObject {
    return this.withChanges(new Map(this.changes).set(key, value));
  }

  /** Several keys at once; `undefined` removes one. */
  setAll(values: Readonly<Record<string, Rope | undefined>>): JsonObject {
    const changes = new Map(this.changes);
    for (const [key, value] of Object.entries(values)) changes.set(key, value);
    return this.withChanges(changes);
  }

  remove(...keys: readonly string[]): JsonObject {
    const present = keys.filter((key) => this.has(key));
    if (present.length === 0) return this;
    const changes = new Map(this.changes);
    for (const key of present) changes.set(key, undefined);
    return this.withChanges(changes);
  }

  /** Changes inside values, at places of the source that `get` led to; they must not overlap with earlier ones. */
  splice(splices: readonly Splice[]): JsonObject {
    if (splices.length === 0) return this;
    const merged = mergeSplices(this.splices, splices);
    return new JsonObject(this.source, this.end, this.members, this.changes, merged);
  }

  /** The whole object as it goes out. */
  toRope(): Rope {
    const parts: Buffer[] = [];
    const addAt = this.members.at(-1)?.valueEnd ?? this.source.indexOf(OPEN_BRACE) + 1;
    const changed = changeSplices(this.members, this.changes, addAt);
    appendSpliced(parts, this.source, 0, this.end, coverSplices(changed, this.splices));
    return parts;
  }

  private withChanges(changes: Changes): JsonObject {
    return new JsonObject(this.source, this.end, this.members, changes, this.splices);
  }
}
