import { PICKED, SHOWN, SIDECAR, WORKER } from './span-attributes.ts';
import type { AttributeValue, ReceivedSpan } from './otlp-trace.schema.ts';
import type { RequestTrace } from './trace-collector.ts';

const BAR_WIDTH = 32;

/** Spans whose insides are not shown: how a pod was chosen fills a page, which the picker has at /admin/decisions. */
const CLOSED: ReadonlySet<string> = new Set(['request_orchestration']);

/** A span with its place in the tree. */
interface Placed {
  readonly span: ReceivedSpan;
  readonly branch: string;
}

/**
 * A request's spans for a terminal: a line each, children indented under their parents in the order in which they began; name,
 * milliseconds, a bar that lies where the span lay in the request, and what is worth knowing. A failed one has a ✗.
 */
export function spanTree(trace: RequestTrace): string {
  const { root } = trace;
  const placed = [{ span: root, branch: '' }, ...placedBeneath(root, trace.spans, '')];
  const extent = { startedAt: root.startedAt, endedAt: Math.max(root.endedAt, ...trace.spans.map(workerEnd)) };
  const width = Math.max(...placed.map(({ span, branch }) => branch.length + span.name.length));
  const lines = placed.map(({ span, branch }) =>
    [
      (branch + span.name).padEnd(width),
      `${(span.endedAt - span.startedAt).toFixed(1)} ms`.padStart(10),
      bar(span, extent),
      facts(span),
    ].join('  '),
  );
  return [`trace ${root.traceId}  ${text(root.attributes[SHOWN.requestId])}`, ...lines]
    .map((line) => line.trimEnd())
    .join('\n');
}

function placedBeneath(parent: ReceivedSpan, spans: readonly ReceivedSpan[], indent: string): Placed[] {
  if (CLOSED.has(parent.name)) return [];
  const children = spans
    .filter(({ parentSpanId }) => parentSpanId === parent.spanId)
    .toSorted((a, b) => a.startedAt - b.startedAt || encodeIndex(a) - encodeIndex(b));
  return children.flatMap((span, index) => {
    const isLast = index === children.length - 1;
    const beneath = placedBeneath(span, spans, `${indent}${isLast ? '   ' : '│  '}`);
    return [{ span, branch: `${indent}${isLast ? '└─ ' : '├─ '}` }, ...beneath];
  });
}

function encodeIndex({ attributes }: ReceivedSpan): number {
  return Number(attributes[SHOWN.encodeIndex] ?? attributes[SIDECAR.encodeIndex] ?? 0);
}

/** An async worker serves a request when it has been answered long since; 0 for any other span. */
function workerEnd({ attributes, endedAt }: ReceivedSpan): number {
  return attributes[WORKER.outcome] === undefined ? 0 : endedAt;
}

/** Half a column is the finest step; no span is without one. */
function bar(span: ReceivedSpan, all: Pick<ReceivedSpan, 'startedAt' | 'endedAt'>): string {
  const halves = (2 * BAR_WIDTH) / Math.max(all.endedAt - all.startedAt, 1e-3);
  const from = Math.min(Math.floor((span.startedAt - all.startedAt) * halves), 2 * BAR_WIDTH - 1);
  const to = Math.max(Math.round((span.endedAt - all.startedAt) * halves), from + 1);
  const isIn = (half: number): boolean => half >= from && half < to;
  const cells = Array.from({ length: BAR_WIDTH }, (_, cell) => {
    const [left, right] = [isIn(2 * cell), isIn(2 * cell + 1)];
    return left ? (right ? '█' : '▌') : right ? '▐' : ' ';
  });
  return `│${cells.join('')}│`;
}

function facts({ attributes, error, isServer }: ReceivedSpan): string {
  const fact = (name: keyof typeof SHOWN, word = plain): string[] => valued(attributes, SHOWN[name], word);
  const endpoint = isServer ? undefined : attributes[PICKED.endpoint];
  const shown = [
    ...(endpoint === undefined ? [] : [`→ ${text(endpoint)}`]),
    ...fact('status'),
    ...fact('outcome'),
    ...fact('executionPath'),
    ...fact('resend', (count) => `try ${Number(count) + 1}`),
    ...fact('encodeIndex', (index) => `item ${Number(index) + 1} of ${text(attributes[SHOWN.encodeWidth])}`),
    ...fact('mediaIndex', (index) => `part ${Number(index) + 1}`),
    ...fact('mediaBytes', (bytes) => `${bytes} bytes`),
    ...fact('firstChunk', (seconds) => `first token after ${(Number(seconds) * 1000).toFixed(0)} ms`),
    ...fact('inputTokens', (count) => `${count} tokens in`),
    ...fact('outputTokens', (count) => `${count} out`),
    ...fact('finishReasons'),
    ...sidecarFacts(attributes),
    ...valued(attributes, WORKER.outcome, plain),
    ...valued(attributes, WORKER.attempt, (attempt) => `try ${attempt}`),
  ];
  // of an answer that is an error, the error is the status
  return error === undefined
    ? shown.join(' · ')
    : [`✗ ${error}`, ...shown.filter((part) => part !== error)].join(' · ');
}

function sidecarFacts(attributes: ReceivedSpan['attributes']): string[] {
  const fact = (name: keyof typeof SIDECAR, word = plain): string[] => valued(attributes, SIDECAR[name], word);
  return [
    ...fact('disaggType'),
    ...fact('reason'),
    ...fact('encodeIndex', (index) => `item ${Number(index) + 1} of ${text(attributes[SIDECAR.encodeWidth])}`),
    ...fact('trueTtft', (ms) => `first token after ${Number(ms).toFixed(0)} ms`),
  ];
}

function valued(attributes: ReceivedSpan['attributes'], name: string, word: (value: string) => string): string[] {
  const found = attributes[name];
  return found === undefined ? [] : [word(text(found))];
}

const plain = (value: string): string => value;

function text(value: AttributeValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.map(text).join(', ') : String(value);
}
