import { Counter, Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { MetricSpec } from './metric-catalogue.ts';
import { storedSeries } from './stored-metric.ts';
import type { StoredSeries } from './stored-metric.ts';

/** The values of a metric's labels, in the order of its catalogue entry. */
export type ValuesOf<Labels extends readonly string[]> = { readonly [Index in keyof Labels]: string };

/** The values of an entry's labels. */
export type LabelValues<Spec extends MetricSpec> = ValuesOf<Spec['labels']>;

/** Upstream marks every metric as subject to change. */
const STABILITY = '[ALPHA] ';

/** Children of one metric by their label values: looking one up costs less than the library's own hash of the labels. */
class Children<Child> {
  private readonly known = new Map<string, Child>();

  constructor(private readonly make: (values: readonly string[]) => Child) {}

  get(values: readonly string[]): Child {
    const key = keyOf(values);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const child = this.make(values);
    this.known.set(key, child);
    return child;
  }

  forget(values: readonly string[]): void {
    this.known.delete(keyOf(values));
  }
}

function keyOf(values: readonly string[]): string {
  return values.length === 1 ? (values[0] ?? '') : values.join('\u0000');
}

export class CounterInstrument<Spec extends MetricSpec> {
  private readonly counter: Counter;
  private readonly children: Children<ReturnType<Counter['labels']>>;

  constructor(spec: Spec, registry: Registry) {
    const { name, help, labels } = spec;
    this.counter = new Counter({ name, help: STABILITY + help, labelNames: [...labels], registers: [registry] });
    this.children = new Children((values) => this.counter.labels(...values));
  }

  add(values: LabelValues<Spec>, amount = 1): void {
    this.children.get(values).inc(amount);
  }

  /** What the series was about is gone. */
  remove(values: LabelValues<Spec>): void {
    this.children.forget(values);
    this.counter.remove(...values);
  }
}

export class GaugeInstrument<Spec extends MetricSpec> {
  private readonly gauge: Gauge;
  private readonly children: Children<ReturnType<Gauge['labels']>>;

  constructor(spec: Spec, registry: Registry) {
    const { name, help, labels } = spec;
    this.gauge = new Gauge({ name, help: STABILITY + help, labelNames: [...labels], registers: [registry] });
    this.children = new Children((values) => this.gauge.labels(...values));
  }

  set(values: LabelValues<Spec>, value: number): void {
    this.children.get(values).set(value);
  }

  add(values: LabelValues<Spec>, amount: number): void {
    this.children.get(values).inc(amount);
  }

  /** What the series was about is gone. */
  remove(values: LabelValues<Spec>): void {
    this.children.forget(values);
    this.gauge.remove(...values);
  }
}

/** A sampled request that fell into a bucket. */
export interface Exemplar {
  readonly traceId: string;
  readonly value: number;
  /** Seconds since 1970. */
  readonly at: number;
}

interface HistogramSeries {
  readonly series: StoredSeries;
  readonly exemplars: Map<number, Exemplar>;
}

export class HistogramInstrument<Spec extends MetricSpec> {
  private readonly children: Children<HistogramSeries>;
  private readonly buckets: readonly number[];

  /** @param store where exemplars are kept for the exposition, by series */
  constructor(spec: Spec, registry: Registry, store: ExemplarStore) {
    const { name, help, labels, buckets = [] } = spec;
    const isOurs = name.startsWith('llm_d_');
    const histogram = new Histogram({
      name,
      help: isOurs ? STABILITY + help : help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers: [registry],
    });
    this.buckets = buckets;
    this.children = new Children((values) => {
      const labelled = Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']));
      histogram.zero(labelled);
      return { series: storedSeries(histogram, labelled), exemplars: store.of(name, labels, values) };
    });
  }

  /**
   * The library's own way to observe looks the series up each time, by a text made of all labels; what it would do then is done here.
   * @param traceId of a sampled request, which then stands as the bucket's exemplar
   */
  observe(values: LabelValues<Spec>, value: number, traceId?: string): void {
    this.add(this.children.get(values), value, traceId);
  }

  /** Observes one series, which is looked up here and not again. */
  series(values: LabelValues<Spec>): (value: number) => void {
    const series = this.children.get(values);
    return (value) => {
      this.add(series, value);
    };
  }

  private add({ series, exemplars }: HistogramSeries, value: number, traceId?: string): void {
    const bucket = this.buckets.findIndex((border) => value <= border);
    series.sum += value;
    series.count += 1;
    const border = this.buckets[bucket];
    if (border !== undefined) series.bucketValues[border] = (series.bucketValues[border] ?? 0) + 1;
    if (traceId !== undefined) exemplars.set(bucket, { traceId, value, at: Date.now() / 1000 });
  }
}

/** The latest exemplar of each bucket of each series. */
export class ExemplarStore {
  private readonly series = new Map<string, Map<number, Exemplar>>();

  /** By position of the bucket in its metric; -1 is the last one, `+Inf`. */
  of(name: string, labels: readonly string[], values: readonly string[]): Map<number, Exemplar> {
    return this.find(
      ExemplarStore.key(name, Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']))),
    );
  }

  /** For the exposition, which knows a series by its labels. */
  ofLabels(name: string, labels: Readonly<Record<string, string | number>>): ReadonlyMap<number, Exemplar> | undefined {
    return this.series.get(ExemplarStore.key(name, labels));
  }

  private find(key: string): Map<number, Exemplar> {
    const known = this.series.get(key) ?? new Map<number, Exemplar>();
    this.series.set(key, known);
    return known;
  }

  private static key(name: string, labels: Readonly<Record<string, string | number>>): string {
    const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
    return `${name}\u0000${sorted.map((pair) => pair.join('\u0001')).join('\u0000')}`;
  }
}
