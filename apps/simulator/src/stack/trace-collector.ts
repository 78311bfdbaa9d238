import { EXPORT_DELAY_MS } from './otlp-receiver.ts';
import { SHOWN } from './span-attributes.ts';
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

/**
 * Puts spans together to requests: one is complete when its outermost server span has come, the coordinator's or the gateway's, and the
 * exports after that one. Servers that are called for it have server spans, too; those are parts of the request.
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
    for (const root of spans.filter(isRequest)) {
      setTimeout(() => {
        this.complete(root);
      }, SETTLE_MS).unref();
    }
    for (const traceId of this.open.keys()) {
      if (this.open.size <= MAX_OPEN) return;
      this.open.delete(traceId);
    }
  }

  private complete(root: ReceivedSpan): void {
    const known = this.open.get(root.traceId) ?? [];
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

function beneath(parent: ReceivedSpan, spans: readonly ReceivedSpan[]): ReceivedSpan[] {
  const children = spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  return children.flatMap((child) => [child, ...beneath(child, spans)]);
}
