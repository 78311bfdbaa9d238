import type { Histogram, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string | number>>;

/** One series as the library keeps it. */
export interface Series {
  readonly labels: Labels;
  readonly value?: number;
  readonly sum?: number;
  readonly count?: number;
  readonly bucketValues?: Readonly<Record<string, number>>;
}

/** A histogram's series, to be added to. */
export interface StoredSeries {
  sum: number;
  count: number;
  /** Observations of each bucket alone, by its border. */
  readonly bucketValues: Record<number, number>;
}

/** The parts of the library's metric that are used here; tests compare what comes of them with the library's own exposition. */
export interface StoredMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly hashMap: Readonly<Record<string, Series>>;
  readonly upperBounds?: readonly number[];
  readonly collect?: () => unknown;
}

/** All metrics of a registry. The library has no other way to read one without copying all of it. */
export function storedMetrics(registry: Registry): readonly StoredMetric[] {
  return registry.getMetricsAsArray() as unknown as readonly StoredMetric[];
}

/** The series of a histogram that has just been set to zero. @throws Error when the library keeps it under another name than it did */
export function storedSeries(histogram: Histogram, labels: Labels): StoredSeries {
  const { hashMap } = histogram as unknown as { hashMap: Record<string, StoredSeries> };
  const names = Object.keys(labels).sort();
  const series = hashMap[names.map((name) => `${name}:${labels[name] ?? ''},`).join('')];
  if (series === undefined) throw new Error('prom-client keeps its series in another way');
  return series;
}
