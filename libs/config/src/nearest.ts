/**
 * The candidate that `word` is most likely a slip of, or undefined when none is close: at most a third of the
 * letters may differ (three at most). Case, `-` and `_` count for nothing.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const plain = normalised(word);
  let best: string | undefined;
  let bestDistance = Math.min(MAX_DISTANCE, Math.max(1, Math.floor(plain.length / 3))) + 1;
  if (plain.length > MAX_LENGTH) return undefined;
  for (const candidate of candidates) {
    const other = normalised(candidate);
    if (Math.abs(other.length - plain.length) >= bestDistance) continue;
    const distance = editDistance(plain, other);
    if (distance < bestDistance && distance < other.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Damerau-Levenshtein (optimal string alignment): insertions, deletions, replacements and swaps of neighbours. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? at(beforeLast, column - 2) + 1
          : Infinity;
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, b.length);
}

const MAX_DISTANCE = 3;
/** A longer word is no slip of a key, and the comparison is quadratic. */
const MAX_LENGTH = 200;

function normalised(word: string): string {
  return word.toLowerCase().replaceAll(/[-_]/g, '');
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
