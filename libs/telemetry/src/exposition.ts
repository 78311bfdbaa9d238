import type { Registry } from 'prom-client';
import { Pacer } from '#foundation';
import type { Exemplar, ExemplarStore } from './instruments.ts';
import { storedMetrics } from './stored-metric.ts';
import type { Series, StoredMetric } from './stored-metric.ts';

export type Format = 'text' | 'openmetrics';

export const CONTENT_TYPES = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
} as const satisfies Record<Format, string>;

/** Characters of one piece of the answer. */
const PIECE = 32 * 1024;

/** What the `Accept` header asks for; text where it asks for neither. */
export function negotiate(accept: string | undefined): Format {
  const ranges = (accept ?? '').toLowerCase().split(',');
  const quality = (type: string): number =>
    Math.max(0, ...ranges.filter((range) => range.split(';', 1)[0]?.trim() === type).map(qualityOf));
  const openmetrics = quality('application/openmetrics-text');
  return openmetrics > 0 && openmetrics >= quality('text/plain') ? 'openmetrics' : 'text';
}

function qualityOf(range: string): number {
  const q = /;\s*q=([\d.]+)/.exec(range)?.[1];
  return q === undefined ? 1 : Number(q);
}

/**
 * The exposition in pieces, made over several turns of the event loop: with a thousand models it is tens of megabytes, and streams
 * must not wait for it.
 * @param worker a label of every series, where several processes are scraped as one
 */
export async function* expose(
  registry: Registry,
  exemplars: ExemplarStore,
  format: Format,
  worker?: number,
): AsyncGenerator<string> {
  const pacer = new Pacer();
  const common = worker === undefined ? '' : `worker="${worker}"`;
  let piece = '';
  for (const metric of storedMetrics(registry)) {
    await metric.collect?.();
    piece += head(metric, format);
    for (const series of Object.values(metric.hashMap)) {
      piece +=
        metric.type === 'histogram'
          ? histogramLines(metric, series, { exemplars, format, common })
          : valueLine(metric, series, { format, common });
      if (piece.length >= PIECE) {
        yield piece;
        piece = '';
      }
      if (pacer.isDue()) await pacer.rest();
    }
  }
  yield format === 'openmetrics' ? `${piece}# EOF\n` : piece;
}

function head({ name, help, type }: StoredMetric, format: Format): string {
  const family = format === 'openmetrics' && type === 'counter' ? name.replace(/_total$/, '') : name;
  return `# HELP ${family} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${family} ${type}\n`;
}

/** How a series is written; `common` stands before its own labels. */
interface Manner {
  readonly format: Format;
  readonly common: string;
}

function valueLine({ name, type }: StoredMetric, series: Series, { format, common }: Manner): string {
  const suffix = format === 'openmetrics' && type === 'counter' && !name.endsWith('_total') ? '_total' : '';
  const labels = labelText(series.labels, common);
  return `${name}${suffix}${labels === '' ? '' : `{${labels}}`} ${numberText(series.value ?? 0)}\n`;
}

function histogramLines(metric: StoredMetric, series: Series, manner: Manner & { exemplars: ExemplarStore }): string {
  const { name, upperBounds = [] } = metric;
  const { format, common, exemplars: store } = manner;
  const labels = labelText(series.labels, common);
  const prefix = `${name}_bucket{${labels === '' ? '' : `${labels},`}le="`;
  const exemplars = format === 'openmetrics' ? store.ofLabels(name, series.labels) : undefined;
  let text = '';
  let total = 0;
  for (const [index, bound] of upperBounds.entries()) {
    total += series.bucketValues?.[bound] ?? 0;
    text += `${prefix}${boundText(bound, format)}"} ${total}${exemplarText(exemplars?.get(index))}\n`;
  }
  return `${text}${prefix}+Inf"} ${series.count ?? 0}${exemplarText(exemplars?.get(-1))}\n${sumLines(name, labels, series)}`;
}

function sumLines(name: string, labels: string, { sum = 0, count = 0 }: Series): string {
  const own = labels === '' ? '' : `{${labels}}`;
  return `${name}_sum${own} ${numberText(sum)}\n${name}_count${own} ${count}\n`;
}

function labelText(labels: Series['labels'], common: string): string {
  let text = common;
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(String(labels[name]))}"`;
  return text;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n') : value;
}

function exemplarText(exemplar: Exemplar | undefined): string {
  return exemplar === undefined
    ? ''
    : ` # {trace_id="${exemplar.traceId}"} ${exemplar.value} ${exemplar.at.toFixed(3)}`;
}

/** OpenMetrics wants bucket borders as floats. */
function boundText(bound: number, format: Format): string {
  return format === 'openmetrics' && Number.isInteger(bound) ? `${bound}.0` : String(bound);
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : '+Inf';
  return String(value);
}
