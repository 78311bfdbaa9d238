/** Containers may be nested this deep, the outermost one being the first level (`decisions.md` B5). */
export const MAX_DEPTH = 512;

/** Members that the outermost object may have, repeated keys included: far beyond any API, and few enough to walk at once. */
export const MAX_MEMBERS = 65_536;

/** Bytes of a key of the outermost object. */
export const MAX_KEY = 65_536;

/** `size`: more than `MAX_MEMBERS` members, or a key longer than `MAX_KEY`. */
export type JsonFault = 'syntax' | 'depth' | 'kind' | 'size';

/** The bytes are not JSON (RFC 8259), or nest deeper than `MAX_DEPTH`. The message holds a place, never content. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly reason: JsonFault,
    /** Byte offset in the scanned buffer. */
    readonly offset: number,
  ) {
    super(JsonSyntaxError.describe(reason, offset));
    this.name = 'JsonSyntaxError';
  }

  private static describe(reason: JsonFault, offset: number): string {
    if (reason === 'depth') return `nested deeper than ${MAX_DEPTH} levels at byte ${offset}`;
    if (reason === 'size') return `too many or too long keys at byte ${offset}`;
    if (reason === 'kind') return `not an object at byte ${offset}`;
    return `invalid JSON at byte ${offset}`;
  }
}
