import type { LoggedCall } from '../control/request-log.ts';
import { clientSpan } from './client-span.ts';
import { OtlpReceiver } from './otlp-receiver.ts';
import { SHOWN } from './span-attributes.ts';
import { spanTree } from './span-tree.ts';
import { TraceCollector } from './trace-collector.ts';

const TREE_WITHIN_MS = 10_000;

/** The span trees of requests, as the programs send their spans. */
export class RequestTraces {
  private readonly trees = new Map<string, PromiseWithResolvers<string>>();
  private readonly collector: TraceCollector;
  private receiver: OtlpReceiver | undefined;

  /** @param print gets each tree when it is complete; undefined keeps them all for `of` */
  constructor(private readonly print: ((tree: string) => void) | undefined) {
    this.collector = new TraceCollector((trace) => {
      const tree = `\n${spanTree(trace)}\n`;
      if (this.print !== undefined) this.print(tree);
      else this.treeOf(String(trace.root.attributes[SHOWN.requestId])).resolve(tree);
    });
  }

  /** @returns variables that make a program send its spans here */
  async listen(): Promise<Readonly<Record<string, string>>> {
    this.receiver = await OtlpReceiver.start((spans) => {
      this.collector.add(spans);
    });
    return this.receiver.variables;
  }

  /** A call that has ended: that of a client to a gateway which has begun a trace is the trace's outermost span. */
  clientCall(call: LoggedCall): void {
    const span = clientSpan(call);
    if (span !== undefined) this.collector.add([span]);
  }

  /** The tree of a request, past or future. @throws Error when its spans do not come within 10 s */
  async of(requestId: string): Promise<string> {
    const tree = this.treeOf(requestId);
    const timer = setTimeout(() => {
      tree.reject(new Error(`the spans of ${requestId} did not come within ${TREE_WITHIN_MS / 1000} s`));
    }, TREE_WITHIN_MS);
    try {
      return await tree.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await this.receiver?.close();
  }

  private treeOf(requestId: string): PromiseWithResolvers<string> {
    const known = this.trees.get(requestId) ?? Promise.withResolvers<string>();
    this.trees.set(requestId, known);
    return known;
  }
}
