import { ClientClosedError } from '#foundation';
import type { ByteObserver, ByteSink, ByteStream } from '#protocol';

/** Parts that are made while they are taken: the next one is asked for when the client has taken the last. */
export class ChunkedStream implements ByteStream {
  private readonly observers: ByteObserver[] = [];
  private isOver = false;

  constructor(
    private readonly parts: AsyncGenerator<Buffer, void>,
    /** Aborts when nobody takes them any more. */
    private readonly signal: AbortSignal,
  ) {}

  observe(observer: ByteObserver): void {
    this.observers.push(observer);
  }

  async pipe(sink: ByteSink): Promise<void> {
    try {
      for await (const part of this.parts) {
        for (const observer of this.observers) observer.chunk?.(part);
        await this.taken(part, sink);
      }
      this.over(undefined);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.over(error);
      throw error;
    }
  }

  discard(): void {
    void this.parts.return();
    this.over(new ClientClosedError());
  }

  /** @throws the reason of the signal */
  private async taken(part: Buffer, sink: ByteSink): Promise<void> {
    this.signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const done = (): void => {
      resolve(undefined);
    };
    this.signal.addEventListener('abort', done, { once: true });
    if (sink.write(part, done)) done();
    await promise;
    this.signal.removeEventListener('abort', done);
    this.signal.throwIfAborted();
  }

  private over(error: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const observer of this.observers) observer.end(error);
  }
}
