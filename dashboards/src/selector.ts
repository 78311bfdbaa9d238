import type { MetricSpec } from '#telemetry/catalogue';

/** What a label has to be: this text, or a match of this regular expression (anchored), or anything else than this text. */
export type Matcher = string | { readonly matches: string } | { readonly not: string };

/** Labels that the scraper adds to every series, `namespace` on Kubernetes only; `worker` is there where several are scraped as one. */
export type TargetLabel = 'namespace' | 'job' | 'instance' | 'worker';

export type LabelOf<M extends MetricSpec> = M['labels'][number] | TargetLabel;

export type Matchers<M extends MetricSpec> = { readonly [L in LabelOf<M>]?: Matcher };

/** Which of a histogram's series. */
export type Suffix = '' | '_bucket' | '_sum' | '_count';

/** PromQL for one metric's series: `name{label="value"}`. */
export function selector(name: string, matchers: Readonly<Record<string, Matcher | undefined>>): string {
  const parts = Object.entries(matchers).flatMap(([label, matcher]) =>
    matcher === undefined ? [] : [`${label}${matcherText(matcher)}`],
  );
  return parts.length === 0 ? name : `${name}{${parts.join(', ')}}`;
}

/**
 * The `le` of a bucket, which is `2` in the text exposition and `2.0` in OpenMetrics.
 * @throws Error when the histogram has no such bucket: the query would find nothing, and say nothing of it
 */
export function bucketBorder({ name, buckets = [] }: MetricSpec, border: number): Matcher {
  if (!buckets.includes(border)) throw new Error(`${name} has no bucket of ${border}, but ${buckets.join(', ')}`);
  return Number.isInteger(border) ? { matches: `${border}([.]0)?` } : String(border);
}

function matcherText(matcher: Matcher): string {
  if (typeof matcher === 'string') return `=${quoted(matcher)}`;
  return 'matches' in matcher ? `=~${quoted(matcher.matches)}` : `!=${quoted(matcher.not)}`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
