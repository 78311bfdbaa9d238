import type { MetricSpec } from './metric-spec.ts';
import { readSeries } from './series-line.ts';
import type { Series } from './series-line.ts';

/** Series of one metric that are looked at; the figures of an engine have a handful. */
const MOST_SERIES = 1000;
const LINE_FEED = 10;
const SPACE = 32;
const TAB = 9;
const BRACE = 123;

/**
 * The series that is wanted, out of an exposition in the text format. Lines are found by a byte search for the name, and nothing else of
 * the text is looked at: microseconds for what takes milliseconds to parse.
 *
 * Of several series that fit, the one with the latest timestamp counts, and without timestamps the first: they are not summed
 * (`epp.md` 7.1). All lines of a metric have to stand together, as the format demands.
 */
export function findSeries(exposition: Buffer, spec: MetricSpec): Series | undefined {
  let latest: Series | undefined;
  for (const series of seriesOf(exposition, spec)) {
    if (!fits(series, spec)) continue;
    // an exporter gives all of its series timestamps, or none
    if (series.timestamp === undefined) return latest ?? series;
    if (series.timestamp > (latest?.timestamp ?? -Infinity)) latest = series;
  }
  return latest;
}

function* seriesOf(exposition: Buffer, spec: MetricSpec): Generator<Series, void, undefined> {
  let at = firstLine(exposition, spec);
  for (let seen = 0; at !== -1 && seen < MOST_SERIES; seen++) {
    const end = lineEnd(exposition, at);
    const series = readSeries(exposition.toString('utf8', at + spec.name.length, end));
    if (series !== undefined) yield series;
    at = isSeriesAt(exposition, end + 1, spec) ? end + 1 : -1;
  }
}

/** Where the first line of the metric starts, or -1. */
function firstLine(exposition: Buffer, spec: MetricSpec): number {
  if (isSeriesAt(exposition, 0, spec)) return 0;
  let at = exposition.indexOf(spec.needle);
  while (at !== -1) {
    if (isDelimiter(exposition[at + spec.needle.length])) return at + 1;
    at = exposition.indexOf(spec.needle, at + 1);
  }
  return -1;
}

function isSeriesAt(exposition: Buffer, at: number, { name, needle }: MetricSpec): boolean {
  const end = at + name.length;
  return isDelimiter(exposition[end]) && needle.compare(exposition, at, end, 1) === 0;
}

/** Another metric may have a longer name that starts alike. */
function isDelimiter(byte: number | undefined): boolean {
  return byte === BRACE || byte === SPACE || byte === TAB;
}

function lineEnd(exposition: Buffer, at: number): number {
  const end = exposition.indexOf(LINE_FEED, at);
  return end === -1 ? exposition.length : end;
}

function fits({ labels }: Series, spec: MetricSpec): boolean {
  return spec.labels.every(([name, value]) => labels.get(name) === value);
}
