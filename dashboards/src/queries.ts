import type { MetricSpec } from '#telemetry/catalogue';
import { ratio } from './expression.ts';
import { bucketBorder, selector } from './selector.ts';
import type { LabelOf, Matcher, Matchers, Suffix, TargetLabel } from './selector.ts';

export type Counter = MetricSpec & { readonly type: 'counter' };
export type Gauge = MetricSpec & { readonly type: 'gauge' };
export type Histogram = MetricSpec & { readonly type: 'histogram' };

/** Where queries are read. */
export interface Scope {
  /** Time that rates are taken over: a duration, or Grafana's variable for one. */
  readonly window: string;
  /** What every selector is narrowed to, as far as its metric has the label. */
  readonly matchers: Readonly<Record<string, Matcher>>;
  /** Labels that every sum keeps. */
  readonly keep: readonly TargetLabel[];
}

/** What is summed, and by which labels. */
export interface Selection<M extends MetricSpec> {
  readonly by?: readonly LabelOf<M>[];
  readonly where?: Matchers<M>;
}

const TARGET_LABELS: readonly string[] = ['namespace', 'job', 'instance', 'worker'];

/** Builds PromQL from catalogue entries. What it returns can be an operand of any operator. */
export class Queries {
  private readonly scope: Scope;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  /** The same queries with another window. */
  over(window: string): Queries {
    return new Queries({ ...this.scope, window });
  }

  select<const M extends MetricSpec>(metric: M, where: Matchers<M> = {}, suffix: Suffix = ''): string {
    const labels = new Set([...metric.labels, ...TARGET_LABELS]);
    const inherited = Object.entries(this.scope.matchers).filter(([label]) => labels.has(label));
    return selector(metric.name + suffix, { ...Object.fromEntries(inherited), ...where });
  }

  /** Sum of a gauge's values. */
  level<const M extends Gauge>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(this.select(metric, where), by);
  }

  /** The largest of a gauge's values: of something that several processes see as one. */
  highest<const M extends Gauge>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.aggregate('max', this.select(metric, where), by);
  }

  /** Events a second. */
  rate<const M extends Counter>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(this.perSecond(this.select(metric, where)), by);
  }

  /** Events in the window. */
  increase<const M extends Counter>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(`increase(${this.select(metric, where)}[${this.scope.window}])`, by);
  }

  /** Observations a second. */
  observations<const M extends Histogram>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(this.perSecond(this.select(metric, where, '_count')), by);
  }

  /** Observations in the window. */
  observed<const M extends Histogram>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(`increase(${this.select(metric, where, '_count')}[${this.scope.window}])`, by);
  }

  /** What was observed, added up, a second. */
  total<const M extends Histogram>(metric: M, { by, where }: Selection<M> = {}): string {
    return this.sum(this.perSecond(this.select(metric, where, '_sum')), by);
  }

  /** Nothing, not zero, where nothing was observed. */
  mean<const M extends Histogram>(metric: M, selection: Selection<M> = {}): string {
    return ratio(this.total(metric, selection), this.observations(metric, selection));
  }

  /** @param q from 0 to 1 */
  quantile<const M extends Histogram>(q: number, metric: M, selection: Selection<M> = {}): string {
    return `histogram_quantile(${q}, ${this.buckets(metric, selection)})`;
  }

  /** Observations a second, by bucket. */
  buckets<const M extends Histogram>(metric: M, { by = [], where }: Selection<M> = {}): string {
    return this.sum(this.perSecond(this.select(metric, where, '_bucket')), ['le', ...by]);
  }

  /** Observations a second that were not above a bucket's border. @throws Error when there is no such bucket */
  notAbove<const M extends Histogram>(metric: M, border: number, { by, where }: Selection<M> = {}): string {
    // `le` is a label of the buckets alone, so no entry of the catalogue has it
    const bucket = { ...where, le: bucketBorder(metric, border) } as Matchers<M>;
    return this.sum(this.perSecond(this.select(metric, bucket, '_bucket')), by);
  }

  private perSecond(series: string): string {
    return `rate(${series}[${this.scope.window}])`;
  }

  private sum(series: string, by?: readonly string[]): string {
    return this.aggregate('sum', series, by);
  }

  private aggregate(operator: 'sum' | 'max', series: string, by: readonly string[] = []): string {
    const labels = [...this.scope.keep, ...by];
    return labels.length === 0 ? `${operator}(${series})` : `${operator} by (${labels.join(', ')}) (${series})`;
  }
}
