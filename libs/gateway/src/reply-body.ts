import { ByteCollector, UpstreamAnswerError } from '#foundation';
import type { ByteObserver, ByteSink, ByteStream } from '#protocol';

/** What the body needs of the connection it comes from. */
export interface ByteSource {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/**
 * The body of an answer while it arrives. It is read once: whole, or into a sink with back-pressure to the worker.
 * Until somebody reads, at most what one read of the socket brought is held, and the connection is paused.
 */
export class ReplyBody implements ByteStream {
  private readonly observers: ByteObserver[] = [];
  /** Those of them that look at the bytes. */
  private readonly watching: ByteObserver[] = [];
  private early: Buffer[] = [];
  private reader: { chunk: (chunk: Buffer) => boolean; end: (error: Error | undefined) => void } | undefined;
  private ended: { error: Error | undefined } | undefined;
  /** Whether observers were told of the end. */
  private isOver = false;

  constructor(
    private readonly source: ByteSource,
    private readonly step: string,
    private readonly expected: number | undefined,
  ) {}

  /**
   * Adds an observer; it sees everything from the first byte on when added before the body is read, for bytes pass when they are
   * handed to the reader, not when they arrive. One that is added after a failure is told of it at once.
   */
  observe(observer: ByteObserver): void {
    if (this.isOver) observer.end(this.ended?.error);
    else this.observers.push(observer);
    if (observer.chunk !== undefined) this.watching.push(observer);
  }

  /**
   * The whole body.
   * @param setting the configuration key of the limit, where there is one
   * @throws UpstreamAnswerError when it is larger than `limit` bytes, and what broke it off
   */
  async readAll(limit: number, setting?: string): Promise<Buffer> {
    const expected = this.expected !== undefined && this.expected <= limit ? this.expected : undefined;
    const bytes = new ByteCollector(limit, expected);
    let size = 0;
    await this.read((chunk) => {
      size += chunk.length;
      if (bytes.add(chunk)) return true;
      this.source.abort(this.tooLarge(limit, setting));
      return false;
    });
    // an answer that ended before it was read can no longer be broken off
    if (size > limit) throw this.tooLarge(limit, setting);
    return bytes.take();
  }

  /** Hands every chunk to the sink as it arrives; done at the last byte. @throws what broke the answer off */
  async pipe(sink: ByteSink): Promise<void> {
    const resume = (): void => {
      this.source.resume();
    };
    await this.read((chunk) => sink.write(chunk, resume));
  }

  /** Gives the rest up. A short one is read to its end, so that the connection lives on. */
  discard(): void {
    if (this.reader !== undefined) return;
    let left = DISCARDED;
    const cut = (): void => {
      this.source.abort(new Error('discarded'));
    };
    const read = this.read((chunk) => {
      left -= chunk.length;
      if (left < 0) cut();
      return left >= 0;
    });
    const timer = setTimeout(cut, DISCARD_TIME).unref();
    const stop = (): void => {
      clearTimeout(timer);
    };
    read.then(stop, stop);
  }

  /** For the connection: the next bytes. */
  push(chunk: Buffer): void {
    if (this.reader === undefined) this.early.push(chunk);
    if (this.reader === undefined || !this.deliver(chunk, this.reader)) this.source.pause();
  }

  /** For the connection: nothing follows. */
  end(error: Error | undefined): void {
    if (this.ended !== undefined) return;
    this.ended = { error };
    // a failure may be the reason why nobody will read; a proper end is told when the last byte has passed
    if (this.reader !== undefined || error !== undefined) this.over(error);
    this.reader?.end(error);
  }

  private deliver(chunk: Buffer, reader: { readonly chunk: (chunk: Buffer) => boolean }): boolean {
    for (const observer of this.watching) observer.chunk?.(chunk);
    return reader.chunk(chunk);
  }

  private over(error: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const observer of this.observers) observer.end(error);
  }

  private tooLarge(limit: number, setting: string | undefined): UpstreamAnswerError {
    return new UpstreamAnswerError(
      this.step,
      `more than ${limit} bytes${setting === undefined ? '' : ` (${setting})`}`,
    );
  }

  /** @param onChunk takes a chunk and tells whether it wants more at once */
  private read(onChunk: (chunk: Buffer) => boolean): Promise<void> {
    if (this.reader !== undefined) throw new Error('an answer is read once');
    return new Promise((resolve, reject) => {
      const end = (error: Error | undefined): void => {
        if (error === undefined) resolve();
        else reject(error);
      };
      const reader = { chunk: onChunk, end };
      this.reader = reader;
      const early = this.early;
      this.early = [];
      let wantsMore = true;
      for (const chunk of early) wantsMore = this.deliver(chunk, reader);
      if (this.ended !== undefined) {
        this.over(this.ended.error);
        end(this.ended.error);
      } else if (early.length > 0 && wantsMore) {
        this.source.resume();
      }
    });
  }
}

/** Bytes of an unwanted answer that are cheaper to read than a new connection is to make. */
const DISCARDED = 64 * 1024;
/** Milliseconds that its end may take. */
const DISCARD_TIME = 1_000;
