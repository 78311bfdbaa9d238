import type { Dispatcher } from 'undici';
import { ByteCollector } from '#foundation';
import type { ByteBudget } from './byte-budget.ts';
import { MediaFetchFailure } from './media-fetch.failure.ts';
import { parseMediaUrl } from './media-url.ts';

/** How an exchange with one origin ended: with the media, or with where it is. */
export type HopResult =
  | { readonly kind: 'media'; readonly bytes: Buffer; readonly contentType: string | undefined }
  | { readonly kind: 'redirect'; readonly to: URL };

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Takes one answer in, and cuts the connection at the first thing that rules it out. */
export class MediaResponseHandler implements Dispatcher.DispatchHandler {
  /** Rejects with a `MediaFetchFailure`, or with what the connection failed of. */
  readonly result: Promise<HopResult>;
  private readonly outcome = Promise.withResolvers<HopResult>();
  private collector: ByteCollector | undefined;
  private contentType: string | undefined;

  /**
   * @param url what was asked for; a relative `location` starts from it
   * @param maxBytes a body of exactly that size is accepted
   */
  constructor(
    private readonly url: URL,
    private readonly maxBytes: number,
    private readonly budget: ByteBudget,
  ) {
    this.result = this.outcome.promise;
  }

  onRequestStart(): void {
    // Nothing to keep: the connection is cut through the controller of a later call, or through the dispatcher.
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, headers: Headers): void {
    if (statusCode < 200) return;
    try {
      const location = single(headers['location']);
      if (REDIRECTS.has(statusCode) && location !== undefined) {
        this.outcome.resolve({ kind: 'redirect', to: parseMediaUrl(location, this.url) });
        controller.abort(new MediaFetchFailure('redirects'));
      } else {
        this.expect(statusCode, headers);
      }
    } catch (error) {
      this.fail(controller, error);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.collector?.add(chunk) !== true) this.fail(controller, new MediaFetchFailure('size'));
    else if (!this.budget.take(chunk.length)) this.fail(controller, new MediaFetchFailure('total_size'));
  }

  onResponseEnd(): void {
    const bytes = this.collector?.take();
    if (bytes === undefined || bytes.length === 0) this.outcome.reject(new MediaFetchFailure('empty'));
    else this.outcome.resolve({ kind: 'media', bytes, contentType: this.contentType });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.outcome.reject(error);
  }

  private expect(statusCode: number, headers: Headers): void {
    if (statusCode !== 200) throw new MediaFetchFailure('status', statusCode);
    const coding = headers['content-encoding'];
    if (coding !== undefined && single(coding)?.trim().toLowerCase() !== 'identity') {
      throw new MediaFetchFailure('encoding');
    }
    const length = headers['content-length'];
    const announced = length === undefined ? undefined : Number(single(length));
    if (announced !== undefined && announced > this.maxBytes) throw new MediaFetchFailure('size');
    if (announced !== undefined && !this.budget.allows(announced)) throw new MediaFetchFailure('total_size');
    this.contentType = single(headers['content-type']);
    this.collector = new ByteCollector(this.maxBytes, announced);
  }

  private fail(controller: Dispatcher.DispatchController, error: unknown): void {
    const failure = error instanceof MediaFetchFailure ? error : new MediaFetchFailure('broken');
    this.outcome.reject(failure);
    controller.abort(failure);
  }
}

/** The value of a header that came once. */
function single(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
