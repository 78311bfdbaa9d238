import { Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { RedisConnection } from './redis.connection.ts';
import { PRESENT } from './scripts.ts';

/** Milliseconds between two looks at all mailboxes: where Redis tells of them, and where it does not. */
const BACKUP_INTERVAL = 2_000;
const POLL_INTERVAL = 200;
/** Mailboxes that one command looks at: Redis does nothing else meanwhile. */
const LOOKED_AT = 500;

interface Watched {
  readonly listeners: Set<() => void>;
  /** Fulfilled when Redis tells of the mailbox, or cannot. */
  readonly subscribed: Promise<void>;
}

/**
 * Tells when a result arrives: one subscription for each mailbox, however many wait for it, and one timer for all, which finds what
 * no message told of.
 */
@Injectable()
export class MailboxWatch implements OnApplicationShutdown {
  private readonly watched = new Map<string, Watched>();
  /** Subscriptions that could not be given up, since Redis was away. */
  private readonly stale = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;

  constructor(private readonly redis: RedisConnection) {}

  /** Done when whatever arrives from now on is told; what was there before is not. */
  async watch(mailbox: string, listener: () => void): Promise<void> {
    const known = this.watched.get(mailbox);
    const watched = known ?? { listeners: new Set(), subscribed: this.subscribe(mailbox) };
    watched.listeners.add(listener);
    if (known === undefined) this.watched.set(mailbox, watched);
    this.timer ??= setInterval(() => void this.look(), this.redis.isNotified ? BACKUP_INTERVAL : POLL_INTERVAL);
    await watched.subscribed;
  }

  unwatch(mailbox: string, listener: () => void): void {
    const watched = this.watched.get(mailbox);
    watched?.listeners.delete(listener);
    if (watched === undefined || watched.listeners.size > 0) return;
    this.watched.delete(mailbox);
    if (this.redis.isNotified) void this.unsubscribe(mailbox);
    if (this.watched.size === 0 && this.stale.size === 0) this.stop();
  }

  isWatched(mailbox: string): boolean {
    return this.watched.has(mailbox);
  }

  onApplicationShutdown(): void {
    this.stop();
  }

  private async subscribe(mailbox: string): Promise<void> {
    if (!this.redis.isNotified) return;
    try {
      await this.redis.watch(mailbox, () => {
        this.tell(mailbox);
      });
    } catch {
      // the timer finds what is not told
    }
  }

  private async unsubscribe(mailbox: string): Promise<void> {
    try {
      await this.redis.unwatch(mailbox);
      this.stale.delete(mailbox);
    } catch {
      this.stale.add(mailbox);
    }
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    try {
      const mailboxes = [...this.watched.keys()];
      for (let first = 0; first < mailboxes.length; first += LOOKED_AT) {
        await this.lookAt(mailboxes.slice(first, first + LOOKED_AT));
      }
      for (const mailbox of this.stale) {
        if (this.watched.has(mailbox)) this.stale.delete(mailbox);
        else await this.unsubscribe(mailbox);
      }
    } catch {
      // Redis is away: the next look may find more
    }
    this.isLooking = false;
    if (this.watched.size === 0 && this.stale.size === 0) this.stop();
  }

  private async lookAt(mailboxes: readonly string[]): Promise<void> {
    const places = await this.redis.script(PRESENT, mailboxes);
    if (!Array.isArray(places)) return;
    for (const place of places) this.tell(mailboxes[Number(place) - 1] ?? '');
  }

  private tell(mailbox: string): void {
    for (const listener of this.watched.get(mailbox)?.listeners ?? []) listener();
  }

  private stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
