import type { InFlight } from '#foundation';
import type { CancelMark, LeasedMessage } from './leased.message.ts';
import type { LeasedQueue } from './leased.queue.ts';

/**
 * Why a message is not worked on any more: another holds it, its client gives it up, its deadline is over, or the process ends.
 */
export type Interruption = 'lost' | 'cancelled' | 'deadline' | 'broken_off';

/** A message from being taken to being let go of. */
export class HeldMessage implements InFlight {
  private readonly work = new AbortController();
  private readonly end = new AbortController();
  private why: Interruption | undefined;
  /** Undefined until the message is read, and of one that cannot be cancelled. */
  cancelMark: CancelMark | undefined;

  constructor(
    readonly message: LeasedMessage,
    readonly queue: LeasedQueue,
  ) {}

  /** Aborts when the message is not worked on any more. */
  get signal(): AbortSignal {
    return this.work.signal;
  }

  /** Aborts when the process ends: what is not at Redis by then is not waited for. */
  get processEnds(): AbortSignal {
    return this.end.signal;
  }

  /** The first one. */
  get interruption(): Interruption | undefined {
    return this.why;
  }

  interrupt(why: Interruption): void {
    this.why ??= why;
    this.work.abort(new Error(`interrupted: ${this.why}`));
  }

  breakOff(): void {
    this.interrupt('broken_off');
    this.end.abort();
  }
}
