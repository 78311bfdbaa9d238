import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import { breakConnection } from '../control/break-connection.ts';

/** How a relayed call ended. `refused`: nobody listens, and nothing was answered yet. */
export type RelayEnd = 'complete' | 'refused' | 'broken';

export interface RelayObserver {
  head(status: number, headers: IncomingHttpHeaders): void;
  ended(end: RelayEnd): void;
}

/**
 * Writes an upstream's answer to the caller as it comes: same status, headers and bytes, no faster than the caller reads.
 * An upstream that breaks off breaks the caller's connection likewise.
 */
export class RelayHandler implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private readonly left = (): void => {
    if (!this.response.writableFinished) this.controller?.abort(new Error('the caller left'));
  };

  constructor(
    private readonly response: ServerResponse,
    private readonly added: Readonly<Record<string, string>>,
    private readonly observer: RelayObserver,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.response.once('close', this.left);
    if (this.response.destroyed) this.left();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: IncomingHttpHeaders): void {
    this.observer.head(status, parsed);
    const headers = headerPairs(controller.rawHeaders).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
    this.response.writeHead(status, [...headers, ...Object.entries(this.added)].flat());
    this.response.flushHeaders();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.response.write(chunk)) return;
    controller.pause();
    this.response.once('drain', () => {
      controller.resume();
    });
  }

  onResponseEnd(): void {
    this.response.end();
    this.observer.ended('complete');
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.response.destroyed) {
      this.observer.ended('complete');
    } else if (!this.response.headersSent && 'code' in error && error.code === 'ECONNREFUSED') {
      this.observer.ended('refused');
    } else {
      void breakConnection(this.response, 'code' in error && error.code === 'ECONNRESET' ? 'reset' : 'cut');
      this.observer.ended('broken');
    }
  }
}

/** Framing is made anew on each hop. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
]);

/** Names and values as they came, in their order. */
export function headerPairs(raw: Dispatcher.DispatchController['rawHeaders']): [string, string][] {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((value) => (typeof value === 'string' ? value : value.toString('latin1')));
  return texts.flatMap((name, i) => (i % 2 === 0 ? [[name, texts[i + 1] ?? '']] : []));
}
