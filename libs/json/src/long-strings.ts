/** Bytes from which a string is worth remembering: crossing it costs more than looking it up. */
const LONG = 64 * 1024;

/** Ends of strings by their beginning, both in the memory that the buffers share. */
const known = new WeakMap<ArrayBufferLike, Map<number, number>>();

/**
 * The end of the string at `start`, if it is a long one that was crossed before. A reader of what is nested crosses the same bytes at
 * each level, and with media those are megabytes. Bytes that are read are never written to again, which is what makes this hold.
 */
export function knownEnd(source: Buffer, start: number): number | undefined {
  if (source.length < LONG) return undefined;
  const end = known.get(source.buffer)?.get(source.byteOffset + start);
  // a buffer may be a part that stops within the string
  return end === undefined || end > source.byteOffset + source.length ? undefined : end - source.byteOffset;
}

/** Notes where a string ends, if it is long. */
export function noteEnd(source: Buffer, start: number, end: number): void {
  if (end - start < LONG) return;
  const ends = known.get(source.buffer) ?? new Map<number, number>();
  known.set(source.buffer, ends.set(source.byteOffset + start, source.byteOffset + end));
}
