import { EXPORT_DELAY_MS } from './otlp-receiver.ts';
import { SHOWN, WORKER } from './span-attributes.ts';
import type { ReceivedSpan } from './otlp-trace.schema.ts';

/** The spans of one request: its server span, and what lies beneath. */
export interface RequestTrace {
  readonly root: ReceivedSpan;
  /** Without the root. */
  readonly spans: readonly ReceivedSpan[];
}

/** Spans that ended after the server span come with the next export of their process. */
const SETTLE_MS = 4 * EXPORT_DELAY_MS;
/** Traces that are kept while their server span has not come. */
const MAX_OPEN = 500;

/** What the coordinator's span of a request that it puts on the queue is called; beneath it stands the async worker's. */
const QUEUED = 'enqueue';
/** Outcomes with which a worker lets go of a message that is taken again. */
const NOT_OVER: readonly unknown[] = ['retried', 'delayed', 'returned', 'lost'];

/**
 * Puts spans together to requests: one is complete when its outermost server span has come, the coordinator's or the gateway's, and the
 * exports after that one. Servers that are called for it have server spans, too; those are parts of the request. One that is queued is
 * complete when an async worker has brought it to its end, too.
 */
export class TraceCollector {
  private readonly open = new Map<string, ReceivedSpan[]>();

  /** @param onRequest gets each request once; requests of one trace one by one */
  constructor(private readonly onRequest: (trace: RequestTrace) => void) {}

  add(spans: readonly ReceivedSpan[]): void {
    for (const span of spans) {
      const known = this.open.get(span.traceId) ?? [];
      known.push(span);
      this.open.set(span.traceId, known);
    }
    for (const root of spans.flatMap((span) => this.toComplete(span))) {
      setTimeout(() => {
        this.complete(root);
      }, SETTLE_MS).unref();
    }
    for (const traceId of this.open.keys()) {
      if (this.open.size <= MAX_OPEN) return;
      this.open.delete(traceId);
    }
  }

  /** The server spans that are to be looked at for the sake of a span that has come. */
  private toComplete(span: ReceivedSpan): readonly ReceivedSpan[] {
    if (isRequest(span)) return [span];
    const known = this.open.get(span.traceId) ?? [];
    return known.some((parent) => isQueued(parent) && isParent(parent, span)) ? known.filter(isRequest) : [];
  }

  private complete(root: ReceivedSpan): void {
    const known = this.open.get(root.traceId) ?? [];
    if (!known.includes(root) || isUnfinished(root, known)) return;
    const own = new Set([root, ...beneath(root, known)]);
    const rest = known.filter((span) => !own.has(span));
    if (rest.length === 0) this.open.delete(root.traceId);
    else this.open.set(root.traceId, rest);
    own.delete(root);
    this.onRequest({ root, spans: [...own] });
  }
}

function isRequest({ isServer, attributes }: ReceivedSpan): boolean {
  return isServer && attributes[SHOWN.requestId] !== undefined;
}

/** Whether it is a part of a request, or waits for an async worker as others of its trace do. */
function isUnfinished(root: ReceivedSpan, known: readonly ReceivedSpan[]): boolean {
  if (isServedForQueue(root, known)) return true;
  return known.some((span) => isQueued(span) && !known.some((child) => isParent(span, child) && isEnd(child)));
}

function isEnd({ attributes }: ReceivedSpan): boolean {
  return !NOT_OVER.includes(attributes[WORKER.outcome]);
}

function isServedForQueue(span: ReceivedSpan, known: readonly ReceivedSpan[]): boolean {
  const parent = known.find((other) => isParent(other, span));
  return parent !== undefined && (isQueued(parent) || isServedForQueue(parent, known));
}

function isQueued({ name, error }: ReceivedSpan): boolean {
  return name === QUEUED && error === undefined;
}

function isParent({ spanId }: ReceivedSpan, { parentSpanId }: ReceivedSpan): boolean {
  return parentSpanId === spanId;
}

function beneath(parent: ReceivedSpan, spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const children = spans.filter((span) => isParent(parent, span));
  return children.flatMap((child) => [child, ...beneath(child, spans)]);
}
