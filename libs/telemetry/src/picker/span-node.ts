import { SpanKind, trace } from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { failSpan } from '../tracing.ts';
import type { Tracing } from '../tracing.ts';

/** A span of a sampled request that is not over, and the way to those beneath it. */
export class SpanNode {
  private constructor(
    private readonly source: SpanSource,
    private readonly context: Context,
    private readonly span: Span | undefined,
  ) {}

  /** The server span, which somebody else begins and ends. */
  static root(tracing: Tracing, span: Span, context: Context): SpanNode {
    // one offset for all of them: a clock that is set in between would put children outside of their parents
    return new SpanNode({ tracing, offset: Date.now() - performance.now() }, context, span);
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.source.offset + performance.now();
  }

  /** @param from where it began before this */
  child(name: string, attributes: Attributes = {}, from = this.now()): SpanNode {
    const span = this.source.tracing.span(name, SpanKind.INTERNAL, this.context, attributes, from);
    return new SpanNode(this.source, span === undefined ? this.context : trace.setSpan(this.context, span), span);
  }

  set(attributes: Attributes): void {
    this.span?.setAttributes(attributes);
  }

  /** @param type a short stable word, never content */
  fail(type: string): void {
    failSpan(this.span, type);
  }

  end(at = this.now()): void {
    this.span?.end(at);
  }
}

interface SpanSource {
  readonly tracing: Tracing;
  /** Between the clock of `performance.now()` and that of spans. */
  readonly offset: number;
}
