/** Where the bytes of an answer go. `write` returns false when it wants no more for now, and calls `resume` when it does. */
export interface ByteSink {
  write(chunk: Buffer, resume: () => void): boolean;
}

/** Sees the bytes of an answer pass; must not keep or change them. */
export interface ByteObserver {
  chunk?(chunk: Buffer): void;
  /** Called once, with what broke the answer off or undefined at its proper end. */
  end(error: Error | undefined): void;
}

/** Bytes that arrive over time and are read once. */
export interface ByteStream {
  /** Adds an observer; it sees everything from the first byte on when added before the stream is read. */
  observe(observer: ByteObserver): void;
  /** Hands every chunk to the sink as it arrives; done at the last byte. @throws what broke it off */
  pipe(sink: ByteSink): Promise<void>;
  /** Gives up what is left. */
  discard(): void;
}
