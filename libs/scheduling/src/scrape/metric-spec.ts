/** Which series of an exposition is wanted: by name and, where given, by some of its labels. */
export interface MetricSpec {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
  /** The start of a line that may be one of its series, with the line feed before it. */
  readonly needle: Buffer;
}

const SPEC = /^\s*([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(?:\{([^{}]*)\})?\s*$/;
const LABEL = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*(?:"([^"]*)"|([^\s",]+))\s*$/;

/**
 * Reads `name`, `name{label=value}` or `name{label="value",other="value"}`.
 * @throws Error for anything else
 */
export function metricSpec(text: string): MetricSpec {
  const [, name, matchers = ''] = SPEC.exec(text) ?? [];
  if (name === undefined) throw new Error(`not a metric, such as name{label=value}: ${text.slice(0, 200)}`);
  const labels = matchers
    .split(',')
    .filter((matcher) => matcher.trim() !== '')
    .map((matcher) => labelOf(matcher));
  return { name, labels, needle: Buffer.from(`\n${name}`) };
}

function labelOf(matcher: string): readonly [string, string] {
  const [, name, quoted, plain] = LABEL.exec(matcher) ?? [];
  if (name === undefined) throw new Error(`not a label matcher, such as label=value: ${matcher.slice(0, 200)}`);
  return [name, quoted ?? plain ?? ''];
}
