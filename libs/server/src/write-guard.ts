import type { ServerResponse } from 'node:http';

/** Time limits of writing to a client, in milliseconds; 0 is no limit. */
export interface WriteLimits {
  /** A client that takes nothing for this long is dropped. */
  readonly stall: number;
  /** From the first byte of a buffered answer to its last. */
  readonly buffered: number;
}

/** Watches whether a client takes what is written to it. */
export class WriteGuard {
  private stallTimer: NodeJS.Timeout | undefined;
  private wholeTimer: NodeJS.Timeout | undefined;
  private lastWritten = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly limits: WriteLimits,
    private readonly onStall: () => void,
  ) {}

  /** The head is about to be written. */
  begin(isStream: boolean): void {
    if (!isStream && this.limits.buffered > 0) this.wholeTimer = setTimeout(this.onStall, this.limits.buffered);
  }

  /** Nothing more will be written: what is buffered has to leave. */
  ending(): void {
    if (!this.response.writableFinished && this.response.writableLength > 0) this.stalled();
  }

  stop(): void {
    clearTimeout(this.wholeTimer);
    this.taken();
  }

  /** The client's buffer is full. */
  stalled(): void {
    if (this.limits.stall === 0 || this.stallTimer !== undefined) return;
    this.lastWritten = this.written;
    this.stallTimer = setInterval(() => {
      if (this.written === this.lastWritten) this.onStall();
      this.lastWritten = this.written;
    }, this.limits.stall);
  }

  /** The client's buffer has emptied. */
  taken(): void {
    clearInterval(this.stallTimer);
    this.stallTimer = undefined;
  }

  /** Bytes that the socket took. */
  private get written(): number {
    const socket = this.response.socket;
    return socket === null ? 0 : socket.bytesWritten - socket.writableLength;
  }
}
