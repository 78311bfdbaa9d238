/** Figures as people read them. */

/** @param micros microseconds */
export function duration(micros) {
  if (micros < 1_000) return `${significant(micros)} µs`;
  return micros < 1e6 ? `${significant(micros / 1_000)} ms` : `${significant(micros / 1e6)} s`;
}

export function milliseconds(ms) {
  return ms === undefined ? '' : significant(ms);
}

/** `1.23 (1.20–1.31)` */
export function ratio(spread) {
  return spread === undefined ? '' : `${spread.median.toFixed(2)} (${spread.low.toFixed(2)}–${spread.high.toFixed(2)})`;
}

export function percent(part) {
  return `${Math.round(100 * part)} %`;
}

/** From the lowest to the highest round, as a part of the median. */
export function noise({ median, low, high }) {
  return (high - low) / median;
}

export function significant(value) {
  if (value === 0) return '0';
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3).replace(/\.?0+$/, '');
}

/** Rows as a table in which columns stand under each other; the first ones, `left` of them, to the left. */
export function aligned(rows, left = 1) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const cell = (text, column) => (column < left ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n');
}
