/** Middle, lowest and highest of some numbers. */
export function spread(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return { median: median(sorted), low: sorted[0], high: sorted.at(-1) };
}

/** @param sorted ascending, not empty */
function median(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function medianOf(values) {
  return spread(values).median;
}

/** Ratios of what was measured in the same round, one after the other: what disturbs a while disturbs both. */
export function pairedRatios(values, base) {
  return spread(values.map((value, round) => value / base[round]));
}

/** Whether a figure keeps a target, and whether its whole spread says the same. */
export function verdict({ median: middle, low, high }, target) {
  if (target === undefined) return undefined;
  if (middle <= target) return high <= target ? 'met' : 'met within noise';
  return low > target ? 'missed' : 'missed within noise';
}
