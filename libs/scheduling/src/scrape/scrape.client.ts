import { Client } from 'undici';
import type { Dispatcher } from 'undici';
import { ByteCollector } from '#foundation';
import type { ScrapeTls } from './metrics.source.ts';

/** Where and how one endpoint is scraped. */
export interface ScrapeTarget {
  readonly origin: string;
  readonly path: string;
  readonly tls: ScrapeTls;
  /** Milliseconds from the request to the last byte. */
  readonly timeout: number;
}

/** An answer longer than this is no exposition of a worker. */
const MOST_BYTES = 4 * 1024 * 1024;

/** One kept-alive connection to the metrics of one endpoint. */
export class ScrapeClient {
  private readonly client: Client;

  constructor(private readonly target: ScrapeTarget) {
    const { origin, tls, timeout } = target;
    // the scrape has a limit of its own, which takes in all of these
    this.client = new Client(origin, {
      connect: { ...tls, timeout },
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
    });
  }

  /** @throws Error for a connection that fails, a status other than 200, and an answer that is late or too long */
  get(): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const scrape = new Scrape(this.target.timeout, resolve, reject);
      this.client.dispatch({ method: 'GET', path: this.target.path, headers: { accept: 'text/plain' } }, scrape);
    });
  }

  /** Breaks off a scrape that runs. */
  async close(): Promise<void> {
    await this.client.destroy();
  }
}

class Scrape implements Dispatcher.DispatchHandler {
  private readonly body = new ByteCollector(MOST_BYTES);
  private readonly timer: NodeJS.Timeout;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private failure: Error | undefined;

  constructor(
    timeout: number,
    private readonly resolve: (body: Buffer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => this.giveUp(new Error(`no answer within ${timeout} ms`)), timeout).unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure !== undefined) controller.abort(this.failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.body.add(chunk)) this.giveUp(new Error(`the answer is longer than ${MOST_BYTES} bytes`));
  }

  onResponseEnd(): void {
    clearTimeout(this.timer);
    if (this.status === 200) this.resolve(this.body.take());
    else this.reject(new Error(`status ${this.status}`));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.timer);
    this.reject(error);
  }

  /** The request may not have started yet, while the connection is made. */
  private giveUp(failure: Error): void {
    clearTimeout(this.timer);
    this.failure = failure;
    this.reject(failure);
    this.controller?.abort(failure);
  }
}
