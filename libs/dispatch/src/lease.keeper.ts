import { Inject, Injectable } from '@nestjs/common';
import type { OnApplicationShutdown } from '@nestjs/common';
import { BrokerError } from '#broker';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import type { HeldMessage } from './held.message.ts';
import type { LeasedQueue } from './leased.queue.ts';

/** Leases that are renewed with one command: Redis does nothing else meanwhile. */
const RENEWED_AT_ONCE = 500;

/** Renews the leases of all messages that are held, and tells those that are lost or cancelled. */
@Injectable()
export class LeaseKeeper implements OnApplicationShutdown {
  private readonly held = new Set<HeldMessage>();
  private readonly lease: number;
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(DISPATCH_CONFIG) { worker }: DispatchConfig) {
    this.lease = worker.lease;
  }

  /** From now on until what is returned is called. */
  keep(held: HeldMessage): () => void {
    this.held.add(held);
    this.timer ??= setInterval(() => void this.renewAll(), this.lease / 3);
    return () => {
      this.held.delete(held);
    };
  }

  /** At once, for what is about to begin. Never rejects: while Redis is away nobody else can take the message either. */
  async renew(held: HeldMessage): Promise<void> {
    await this.renewIn(held.queue, [held]);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async renewAll(): Promise<void> {
    const byQueue = Map.groupBy(this.held, ({ queue }) => queue);
    for (const [queue, messages] of byQueue) {
      for (let first = 0; first < messages.length; first += RENEWED_AT_ONCE) {
        await this.renewIn(queue, messages.slice(first, first + RENEWED_AT_ONCE));
      }
    }
  }

  private async renewIn(queue: LeasedQueue, messages: readonly HeldMessage[]): Promise<void> {
    try {
      const states = await queue.renew(messages, this.lease);
      for (const [place, held] of messages.entries()) {
        const state = states[place] ?? 'held';
        if (state !== 'held' && this.held.has(held)) held.interrupt(state);
      }
    } catch (error) {
      // the next time may do, and what is lost by then is refused when it is to be ended
      if (!(error instanceof BrokerError)) throw error;
    }
  }
}
