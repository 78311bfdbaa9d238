import type { ByteObserver, ByteSink, ByteStream } from '#protocol';

/**
 * An answer whose beginning is looked at before it is known whether the client gets it. As much as the look takes is held, and the
 * worker paused; whoever reads it then gets everything from the first byte on.
 */
export class HeldStream implements ByteStream {
  private held: Buffer[] = [];
  private readonly observers: ByteObserver[] = [];
  private sink: ByteSink | undefined;
  private resume: (() => void) | undefined;
  private isDiscarded = false;
  private isEnough = false;
  private ended: { readonly error: Error | undefined } | undefined;
  private isOver = false;
  private readonly whole: Promise<void>;
  private readonly looked = Promise.withResolvers<undefined>();

  /** @param look at each chunk as it comes; true when it has seen enough */
  constructor(
    source: ByteStream,
    private readonly look: (chunk: Buffer) => boolean,
  ) {
    this.whole = source.pipe({ write: (chunk, resume) => this.take(chunk, resume) });
    this.whole.then(
      () => {
        this.end(undefined);
      },
      (error: unknown) => {
        this.end(error instanceof Error ? error : new Error('broken off', { cause: error }));
      },
    );
  }

  /** Done when the look has seen enough, or the answer is whole. @throws what broke it off before that */
  async begin(): Promise<void> {
    await this.looked.promise;
  }

  /** Everything, where it ended within what was held; else undefined. */
  get bytes(): Buffer | undefined {
    return this.ended !== undefined && this.ended.error === undefined ? Buffer.concat(this.held) : undefined;
  }

  observe(observer: ByteObserver): void {
    if (this.isOver) observer.end(this.ended?.error);
    else this.observers.push(observer);
  }

  async pipe(sink: ByteSink): Promise<void> {
    const held = this.held;
    this.held = [];
    this.sink = sink;
    let wantsMore = true;
    for (const chunk of held) wantsMore = this.deliver(chunk, sink);
    if (wantsMore) this.resume?.();
    await this.whole;
    this.over(undefined);
  }

  /** The rest is read and dropped, which ends with the request at the latest. */
  discard(): void {
    this.isDiscarded = true;
    this.held = [];
    this.resume?.();
  }

  private take(chunk: Buffer, resume: () => void): boolean {
    if (this.isDiscarded) return true;
    this.resume = resume;
    if (this.sink !== undefined) return this.deliver(chunk, this.sink);
    this.held.push(chunk);
    // what comes behind it in the same read is held too, but no longer looked at
    this.isEnough ||= this.look(chunk);
    if (this.isEnough) this.looked.resolve(undefined);
    return !this.isEnough;
  }

  private deliver(chunk: Buffer, sink: ByteSink): boolean {
    for (const observer of this.observers) observer.chunk?.(chunk);
    return sink.write(chunk, () => this.resume?.());
  }

  private end(error: Error | undefined): void {
    this.ended = { error };
    if (error === undefined) return this.looked.resolve(undefined);
    this.looked.reject(error);
    this.over(error);
  }

  private over(error: Error | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const observer of this.observers) observer.end(error);
  }
}
