import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { bodyPieces } from '#ext-proc';
import { headerMap } from './message-headers.ts';
import type { HeaderPair } from './message-headers.ts';
import type { PickerStream } from './picker-stream.ts';
import { HOP_BY_HOP, headerPairs } from './relay-handler.ts';

/** What an answer is to whoever relays it. */
export interface AnswerObserver {
  /** Its head, `:status` among it; `isWhole` where no body follows. */
  head(pairs: readonly HeaderPair[], isWhole: boolean): void;
  /** What comes behind its body. */
  trailers(pairs: readonly HeaderPair[]): void;
  /** Nobody listens there. */
  refused(): void;
  /** It ended before it was whole. */
  broken(how: 'reset' | 'cut'): void;
}

/** Tells the picker of a worker's answer as it comes, no faster than it takes it. */
export class WorkerAnswer implements Dispatcher.DispatchHandler {
  private controller: Dispatcher.DispatchController | undefined;
  private isAborted = false;
  private isWhole = false;

  constructor(
    private readonly method: string,
    private readonly stream: PickerStream,
    private readonly observer: AnswerObserver,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isAborted) this.abort();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, parsed: IncomingHttpHeaders): void {
    if (status < 200) return;
    const own = headerPairs(controller.rawHeaders).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()));
    this.isWhole = this.method === 'HEAD' || status === 204 || status === 304 || parsed['content-length'] === '0';
    this.tellHead([[':status', String(status)], ...own]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    for (const piece of bodyPieces(chunk, false)) this.stream.send({ response_body: piece }, controller);
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    if (this.isWhole) return;
    const trailers = headerPairs(controller.rawTrailers);
    if (trailers.length === 0) {
      this.stream.send({ response_body: { body: Buffer.alloc(0), end_of_stream: true } });
    } else {
      this.observer.trailers(trailers);
      this.stream.send({ response_trailers: { trailers: headerMap(trailers) } });
    }
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.isAborted) return;
    const code = 'code' in error ? error.code : undefined;
    if (code === 'ECONNREFUSED') this.observer.refused();
    else this.observer.broken(code === 'ECONNRESET' ? 'reset' : 'cut');
  }

  /** An answer of the gateway's own in the worker's place; the picker hears of it likewise. */
  replace(status: number, headers: readonly HeaderPair[], body: Buffer): void {
    this.tellHead([[':status', String(status)], ...headers]);
    for (const piece of bodyPieces(body, true)) this.stream.send({ response_body: piece });
  }

  abort(): void {
    this.isAborted = true;
    this.controller?.abort(new Error('nobody waits for the answer'));
  }

  private tellHead(pairs: readonly HeaderPair[]): void {
    this.observer.head(pairs, this.isWhole);
    this.stream.send({ response_headers: { headers: headerMap(pairs), end_of_stream: this.isWhole } });
  }
}
