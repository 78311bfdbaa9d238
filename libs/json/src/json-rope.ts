/** Bytes as a list of buffers that share memory with where they came from. To be treated as immutable. */
export type Rope = readonly Buffer[];

export function ropeLength(rope: Rope): number {
  let length = 0;
  for (const part of rope) length += part.length;
  return length;
}

/** The rope as one buffer: itself where it has one part, else a copy. */
export function joinRope(rope: Rope): Buffer {
  return rope.length === 1 && rope[0] !== undefined ? rope[0] : Buffer.concat(rope);
}

/**
 * The same bytes in fewer parts: neighbours are copied together while they are no more than `size` bytes. Whoever writes a rope makes
 * a call into the system for each part.
 */
export function packRope(rope: Rope, size: number): Rope {
  const packed: Buffer[] = [];
  let first = 0;
  let length = 0;
  for (let index = 0; index <= rope.length; index++) {
    const next = rope[index]?.length ?? Infinity;
    if (length + next <= size) {
      length += next;
      continue;
    }
    if (index > first) packed.push(joinRope(rope.slice(first, index)));
    first = index;
    length = next;
  }
  return packed;
}

/** The same bytes in parts of at most `size` bytes, which share them. */
export function cutRope(rope: Rope, size: number): Rope {
  if (rope.every((part) => part.length <= size)) return rope;
  return rope.flatMap((part) =>
    Array.from({ length: Math.ceil(part.length / size) }, (_, index) =>
      part.subarray(index * size, (index + 1) * size),
    ),
  );
}

/** JSON text as a rope. */
export function rawJson(text: string): Rope {
  return [Buffer.from(text)];
}

/** A string as JSON text; lone surrogates become escapes. */
export function jsonString(text: string): string {
  return JSON.stringify(text);
}

/** Builds a rope from text and carried bytes; neighbouring text becomes one buffer. */
export class RopeBuilder {
  private readonly parts: Buffer[] = [];
  private pending = '';

  text(text: string): this {
    this.pending += text;
    return this;
  }

  bytes(bytes: Buffer | Rope): this {
    this.flush();
    if (Buffer.isBuffer(bytes)) this.parts.push(bytes);
    else for (const part of bytes) this.parts.push(part);
    return this;
  }

  done(): Rope {
    this.flush();
    return this.parts;
  }

  private flush(): void {
    if (this.pending === '') return;
    this.parts.push(Buffer.from(this.pending));
    this.pending = '';
  }
}

/** A value of an object that is built: JSON text or carried bytes; `undefined` leaves the member out. */
export type BuiltValue = string | Buffer | Rope | undefined;

/** `{"key":value,…}` of the members that have a value. Keys are our own words; those that others choose go to `entriesObject`. */
export function buildObject(members: Readonly<Record<string, BuiltValue>>): Rope {
  return entriesObject(Object.entries(members));
}

/** The same of pairs, in their order whatever the keys are: a record moves those that look like numbers to its front. */
export function entriesObject(entries: Iterable<readonly [string, BuiltValue]>): Rope {
  const builder = new RopeBuilder();
  let separator = '{';
  for (const [key, value] of entries) {
    if (value === undefined) continue;
    builder.text(`${separator}${jsonString(key)}:`);
    if (typeof value === 'string') builder.text(value);
    else builder.bytes(value);
    separator = ',';
  }
  return builder.text(separator === '{' ? '{}' : '}').done();
}
