import { METRICS } from './metric-catalogue.ts';
import type { MetricSpec } from './metric-catalogue.ts';
import type { Metrics } from './metrics.ts';

/** Counts since the process began; whoever polls them makes rates of their differences. */
export interface AdminTotals {
  /** Inference requests that have ended. */
  readonly requests: number;
  /** Of these, the failed ones by `error_code`. */
  readonly errors: Readonly<Record<string, number>>;
  /** Probes by result; `deferred` over all is the 412 rate. */
  readonly probes: Readonly<Record<string, number>>;
  /** Requests that had anything to encode, and the calls this took: calls over requests is the mean width of the fan-out. */
  readonly encode: { readonly requests: number; readonly calls: number };
}

/** The totals as a scrape would have them, from the same registry. */
export async function adminTotals(metrics: Metrics): Promise<AdminTotals> {
  const [requests, errors, probes, widths] = await Promise.all([
    samplesOf(metrics, METRICS.requests),
    samplesOf(metrics, METRICS.requestErrors),
    samplesOf(metrics, METRICS.probes),
    samplesOf(metrics, METRICS.encodeWidth),
  ]);
  return {
    requests: sum(requests),
    errors: sumBy(errors, 'error_code'),
    probes: sumBy(probes, 'result'),
    encode: {
      requests: sum(widths.filter(({ metricName }) => metricName === `${METRICS.encodeWidth.name}_count`)),
      calls: sum(widths.filter(({ metricName }) => metricName === `${METRICS.encodeWidth.name}_sum`)),
    },
  };
}

interface Sample {
  readonly value: number;
  readonly labels: Partial<Readonly<Record<string, string | number>>>;
  readonly metricName?: string;
}

async function samplesOf({ registry }: Metrics, { name }: MetricSpec): Promise<readonly Sample[]> {
  const metric = await registry.getSingleMetric(name)?.get();
  return metric?.values ?? [];
}

function sum(samples: readonly Sample[]): number {
  return samples.reduce((total, { value }) => total + value, 0);
}

function sumBy(samples: readonly Sample[], label: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { labels, value } of samples) {
    const key = String(labels[label]);
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}
