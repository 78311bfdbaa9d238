import type { Curve } from './panels.ts';
import type { Histogram, Queries, Selection } from './queries.ts';

const PERCENTILES = [0.5, 0.95, 0.99] as const;

/** Median, p95 and p99 of what was observed. */
export function percentiles<const M extends Histogram>(queries: Queries, metric: M, selection?: Selection<M>): Curve[] {
  return PERCENTILES.map((q) => ({ expr: queries.quantile(q, metric, selection), legend: `p${q * 100}` }));
}
