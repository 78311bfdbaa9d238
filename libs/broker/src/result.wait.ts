import { Injectable } from '@nestjs/common';
import type { RequestKeys } from './broker-keys.ts';
import { MailboxWatch } from './mailbox.watch.ts';
import { RequestStore } from './request.store.ts';

/** The longest that a timer waits. */
const LONGEST = 2 ** 31 - 1;

/** Why a wait is over: the result, its time, or its signal. */
export type WaitEnd = Buffer | 'time' | 'aborted';

/** Waits for results. */
@Injectable()
export class ResultWait {
  constructor(
    private readonly store: RequestStore,
    private readonly watch: MailboxWatch,
  ) {}

  /** Never rejects: while Redis is away, the result may still come. @param limit milliseconds */
  async result(keys: RequestKeys, limit: number, signal: AbortSignal): Promise<WaitEnd> {
    if (signal.aborted) return 'aborted';
    const bell = new Bell(Math.min(limit, LONGEST), signal);
    await this.watch.watch(keys.mailbox, bell.ring);
    try {
      for (;;) {
        const found = await this.look(keys);
        if (found !== undefined) return found;
        const end = await bell.next();
        if (end !== undefined) return end;
      }
    } finally {
      this.watch.unwatch(keys.mailbox, bell.ring);
      bell.stop();
    }
  }

  /** Whether somebody else here waits for the same. */
  isAwaited(keys: RequestKeys): boolean {
    return this.watch.isWatched(keys.mailbox);
  }

  private async look(keys: RequestKeys): Promise<Buffer | undefined> {
    try {
      return await this.store.result(keys);
    } catch {
      return undefined;
    }
  }
}

type Ending = Exclude<WaitEnd, Buffer>;

/** Rings, until its time is over or its signal aborts. */
class Bell {
  private readonly timer: NodeJS.Timeout;
  private hasRung = false;
  private ending: Ending | undefined;
  private wake: (() => void) | undefined;

  constructor(
    limit: number,
    private readonly signal: AbortSignal,
  ) {
    this.timer = setTimeout(() => {
      this.end('time');
    }, limit);
    signal.addEventListener('abort', this.onAbort, { once: true });
  }

  readonly ring = (): void => {
    this.hasRung = true;
    this.wake?.();
  };

  /** Done when it has rung since the last time, or will not any more: the reason is what is given then. */
  async next(): Promise<Ending | undefined> {
    if (!this.hasRung && this.ending === undefined) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.hasRung = false;
    return this.ending;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.signal.removeEventListener('abort', this.onAbort);
  }

  private readonly onAbort = (): void => {
    this.end('aborted');
  };

  private end(ending: Ending): void {
    this.ending ??= ending;
    this.wake?.();
  }
}
