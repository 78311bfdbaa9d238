/** Containers may be nested this deep, the outermost one being the first level (`decisions.md` B5). */
export const MAX_DEPTH = 512;

/** The bytes are not JSON (RFC 8259), or nest deeper than `MAX_DEPTH`. The message holds a place, never content. */
export class JsonSyntaxError extends Error {
  constructor(
    readonly reason: 'syntax' | 'depth' | 'kind',
    /** Byte offset in the scanned buffer. */
    readonly offset: number,
  ) {
    super(JsonSyntaxError.describe(reason, offset));
    this.name = 'JsonSyntaxError';
  }

  private static describe(reason: 'syntax' | 'depth' | 'kind', offset: number): string {
    if (reason === 'depth') return `nested deeper than ${MAX_DEPTH} levels at byte ${offset}`;
    if (reason === 'kind') return `not an object at byte ${offset}`;
    return `invalid JSON at byte ${offset}`;
  }
}
