/** A label set, then what follows it. */
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const LABELS = String.raw`\{(?:${LABEL}(?:,${LABEL})*)?\}`;
const NUMBER = String.raw`(?:[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|Inf)|NaN)`;
const SAMPLE = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(${LABELS})? (${NUMBER})(?: # (${LABELS}) (${NUMBER})(?: (\d+(?:\.\d+)?))?)?$`,
);
const META = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.*)$/;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_sum', '_count'],
};

interface Family {
  readonly name: string;
  help: boolean;
  type: string | undefined;
}

/** Bucket counts of one series so far. */
interface Buckets {
  total: number;
  border: number;
}

/**
 * What is wrong with an OpenMetrics 1.0 exposition, as far as one of ours could be: its order, names and suffixes, escapes, floats,
 * buckets, exemplars and end. Nothing for a valid one.
 */
export function openMetricsFaults(text: string): string[] {
  const faults: string[] = [];
  if (!text.endsWith('\n# EOF\n')) faults.push('does not end with # EOF');
  const checker = new Checker(faults);
  for (const line of text
    .replace(/# EOF\n$/, '')
    .replace(/\n$/, '')
    .split('\n'))
    checker.line(line);
  checker.end();
  return faults;
}

class Checker {
  private readonly families = new Map<string, Family>();
  private readonly series = new Set<string>();
  private current: Family | undefined;
  private open = new Map<string, Buckets>();

  constructor(private readonly faults: string[]) {}

  line(line: string): void {
    const meta = META.exec(line);
    const sample = SAMPLE.exec(line);
    if (meta !== null) this.meta(meta);
    else if (sample !== null) this.sample(sample);
    else this.faults.push(`neither a sample nor metadata: ${line}`);
  }

  end(): void {
    for (const [series, { border }] of this.open)
      if (border !== Infinity) this.faults.push(`no +Inf bucket: ${series}`);
    this.open = new Map();
  }

  private meta([, kind, name = '', rest = '']: RegExpExecArray): void {
    const known = this.families.get(name);
    if (known !== this.current || known === undefined) {
      if (known !== undefined) this.faults.push(`a family twice: ${name}`);
      this.end();
      this.current = { name, help: false, type: undefined };
      this.families.set(name, this.current);
    }
    const { current } = this;
    if (current === undefined) return;
    if (kind === 'HELP' ? current.help : current.type !== undefined) this.faults.push(`${kind} twice: ${name}`);
    if (kind === 'HELP') current.help = true;
    else current.type = rest;
    if (kind === 'TYPE' && !(rest in SUFFIXES)) this.faults.push(`an unknown type: ${rest}`);
    if (kind === 'TYPE' && rest === 'counter' && name.endsWith('_total'))
      this.faults.push(`a family with a suffix: ${name}`);
  }

  private sample([line, name = '', labels = '', value = '', exemplarLabels, exemplar = '']: RegExpExecArray): void {
    const family = this.current;
    if (family?.type === undefined || !name.startsWith(family.name)) {
      this.faults.push(`a sample outside of its family: ${line}`);
      return;
    }
    const suffix = name.slice(family.name.length);
    if (SUFFIXES[family.type]?.includes(suffix) !== true) this.faults.push(`a wrong suffix: ${line}`);
    if (this.series.has(name + labels)) this.faults.push(`a series twice: ${line}`);
    this.series.add(name + labels);
    if (suffix === '_bucket') this.bucket(labels, Number(value), line);
    if (exemplarLabels === undefined) return;
    if (suffix !== '_bucket' && suffix !== '_total') this.faults.push(`an exemplar where none may be: ${line}`);
    if (suffix === '_bucket' && Number(exemplar) > borderOf(labels))
      this.faults.push(`an exemplar outside of its bucket: ${line}`);
    if (exemplarLabels.replaceAll(/[{}",=]/g, '').length > 128)
      this.faults.push(`an exemplar that is too long: ${line}`);
  }

  private bucket(labels: string, count: number, line: string): void {
    const written = /le="([^"]*)"/.exec(labels)?.[1] ?? '';
    if (written !== '+Inf' && !/[.e]/.test(written)) this.faults.push(`a border that is no float: ${line}`);
    const series = labels.replace(/,?le="[^"]*"/, '');
    const before = this.open.get(series) ?? { total: 0, border: -Infinity };
    const border = borderOf(labels);
    if (count < before.total || border <= before.border) this.faults.push(`buckets that shrink: ${line}`);
    this.open.set(series, { total: count, border });
  }
}

function borderOf(labels: string): number {
  const written = /le="([^"]*)"/.exec(labels)?.[1] ?? '';
  return written === '+Inf' ? Infinity : Number(written);
}
