import type { Rope } from './json-rope.ts';

/** One change inside a value: the bytes `[start, end)` of the source give way to `insert`. `start === end` inserts. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly insert: Rope;
}

/**
 * `first` and `second` as one list in order of place. At one place, an insertion of `first` stands before one of `second`.
 * The splices of a list must not overlap.
 */
export function mergeSplices(first: readonly Splice[], second: readonly Splice[]): readonly Splice[] {
  if (first.length === 0) return [...second].sort(byPlace);
  return [...first, ...second].sort(byPlace);
}

/**
 * `outer` and those of `inner` that do not lie within one of it, in order of place: what is replaced or removed as a whole
 * takes the changes inside it along. Both are in order of place.
 */
export function coverSplices(outer: readonly Splice[], inner: readonly Splice[]): readonly Splice[] {
  if (outer.length === 0) return inner;
  if (inner.length === 0) return outer;
  const kept: Splice[] = [];
  let next = 0;
  for (const splice of inner) {
    for (let cover = outer[next]; cover !== undefined && cover.end < splice.end; cover = outer[++next])
      kept.push(cover);
    const cover = outer[next];
    if (cover === undefined || splice.start < cover.start) kept.push(splice);
  }
  for (const cover of outer.slice(next)) kept.push(cover);
  return kept;
}

function byPlace(a: Splice, b: Splice): number {
  return a.start - b.start || a.end - b.end;
}

/**
 * Appends the bytes `[start, end)` of `source` with the splices that lie in them. Untouched stretches are shared, not copied.
 * @param splices in order of place, as `mergeSplices` gives them
 */
export function appendSpliced(
  parts: Buffer[],
  source: Buffer,
  start: number,
  end: number,
  splices: readonly Splice[],
): void {
  let pos = start;
  for (const splice of splices) {
    if (splice.start < start) continue;
    if (splice.end > end) break;
    if (splice.start > pos) parts.push(source.subarray(pos, splice.start));
    for (const part of splice.insert) parts.push(part);
    pos = splice.end;
  }
  if (pos < end) parts.push(source.subarray(pos, end));
}
