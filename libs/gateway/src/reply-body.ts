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
  private early: Buffer[] = [];
  private reader: { chunk: (chunk: Buffer) => boolean; end: (error: Error | undefined) => void } | undefined;
  private ended: { error: Error | undefined } | undefined;

  constructor(
    private readonly source: ByteSource,
    private readonly step: string,
    private readonly expected: number | undefined,
  ) {}

  /** Adds an observer; it sees everything from the first byte on when added before the body is read. */
  observe(observer: ByteObserver): void {
    this.observers.push(observer);
  }

  /**
   * The whole body.
   * @throws UpstreamAnswerError when it is larger than `limit` bytes, and what broke it off
   */
  async readAll(limit: number): Promise<Buffer> {
    const expected = this.expected !== undefined && this.expected <= limit ? this.expected : undefined;
    const bytes = new ByteCollector(limit, expected);
    await this.read((chunk) => {
      const fits = bytes.add(chunk);
      if (!fits) this.source.abort(new UpstreamAnswerError(this.step, `more than ${limit} bytes (gateway.max_response_size)`));
      return fits;
    });
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
    if (this.ended !== undefined) return;
    let left = DISCARDED;
    this.read((chunk) => {
      left -= chunk.length;
      if (left < 0) this.source.abort(new Error('discarded'));
      return left >= 0;
    }).catch(() => undefined);
  }

  /** For the connection: the next bytes. */
  push(chunk: Buffer): void {
    for (const observer of this.observers) observer.chunk(chunk);
    if (this.reader === undefined) this.early.push(chunk);
    if (this.reader?.chunk(chunk) !== true) this.source.pause();
  }

  /** For the connection: nothing follows. */
  end(error: Error | undefined): void {
    if (this.ended !== undefined) return;
    this.ended = { error };
    for (const observer of this.observers) observer.end(error);
    this.reader?.end(error);
  }

  /** @param onChunk takes a chunk and tells whether it wants more at once */
  private read(onChunk: (chunk: Buffer) => boolean): Promise<void> {
    if (this.reader !== undefined) throw new Error('an answer is read once');
    return new Promise((resolve, reject) => {
      const end = (error: Error | undefined): void => {
        if (error === undefined) resolve();
        else reject(error);
      };
      this.reader = { chunk: onChunk, end };
      const early = this.early;
      this.early = [];
      let wantsMore = true;
      for (const chunk of early) wantsMore = onChunk(chunk);
      if (this.ended !== undefined) end(this.ended.error);
      else if (early.length > 0 && wantsMore) this.source.resume();
    });
  }
}

/** Bytes of an unwanted answer that are cheaper to read than a new connection is to make. */
const DISCARDED = 64 * 1024;
