/** One series as a line of an exposition has it. */
export interface Series {
  readonly labels: ReadonlyMap<string, string>;
  /** NaN for infinities, too: no figure of an engine is one. */
  readonly value: number;
  /** Milliseconds since the epoch; undefined as in most expositions. */
  readonly timestamp: number | undefined;
}

/**
 * Reads what stands behind the name: `{label="value"} 1.5 1700000000000`.
 * @returns undefined for a line that is none
 */
export function readSeries(rest: string): Series | undefined {
  const labels = new Map<string, string>();
  const end = rest.startsWith('{') ? readLabels(rest, labels) : 0;
  if (end === undefined) return undefined;
  const [value, timestamp] = rest.slice(end).trim().split(/\s+/, 2);
  if (value === undefined || value === '') return undefined;
  const at = Number(timestamp);
  return { labels, value: Number(value), timestamp: Number.isFinite(at) ? at : undefined };
}

/** @returns where the labels end; undefined where they do not */
function readLabels(rest: string, labels: Map<string, string>): number | undefined {
  let at = 1;
  for (;;) {
    while (rest[at] === ' ' || rest[at] === ',') at++;
    if (rest[at] === '}') return at + 1;
    const equals = rest.indexOf('=', at);
    const open = equals === -1 ? -1 : rest.indexOf('"', equals);
    const close = open === -1 ? -1 : closingQuote(rest, open);
    if (close === -1) return undefined;
    labels.set(rest.slice(at, equals).trim(), unescaped(rest.slice(open + 1, close)));
    at = close + 1;
  }
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return -1;
}

function unescaped(value: string): string {
  if (!value.includes('\\')) return value;
  return value.replace(/\\(.)/g, (_pair, one: string) => (one === 'n' ? '\n' : one));
}
