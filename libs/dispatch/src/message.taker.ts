import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import { BrokerError, RedisConnection } from '#broker';
import { Lifecycle } from '#foundation';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import { DispatchObserver } from './dispatch.observer.ts';
import { HeldMessage } from './held.message.ts';
import { HeldBudget } from './held-budget.ts';
import type { Room } from './held-budget.ts';
import { LeasedQueue } from './leased.queue.ts';
import { MessageRunner } from './message.runner.ts';
import { RedisClock } from './redis.clock.ts';
import { Waker } from './waker.ts';

/** Takes messages as long as the process serves, and has each run. */
@Injectable()
export class MessageTaker implements BeforeApplicationShutdown {
  private readonly logger = new Logger('dispatch');
  /** Of the queues; the first one is next. */
  private readonly turns: LeasedQueue[];
  private readonly budget: HeldBudget;
  private readonly waker = new Waker();
  /** Says in every lease whose it is. */
  private readonly process = randomUUID();
  private takings = 0;
  /** When each queue was last looked through for what is to go back to it, on the clock of `performance.now()`. */
  private readonly recovered = new Map<LeasedQueue, number>();
  /** Why nothing can be taken from a queue. */
  private readonly failures = new Map<LeasedQueue, string>();
  private loop: Promise<void> | undefined;

  constructor(
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    redis: RedisConnection,
    clock: RedisClock,
    private readonly lifecycle: Lifecycle,
    private readonly runner: MessageRunner,
    private readonly observer: DispatchObserver,
  ) {
    this.turns = config.queues.map((name) => new LeasedQueue(redis, clock, name));
    this.budget = new HeldBudget(config.worker);
  }

  /** Begins; ends by itself when the process no longer wants to be chosen. */
  start(): void {
    this.loop ??= this.takeAll();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.waker.wake();
    await this.loop;
  }

  private async takeAll(): Promise<void> {
    const { poll_interval: interval } = this.config.worker;
    while (this.lifecycle.isReady) {
      const found = await this.round();
      if (!found) await this.waker.wait(interval);
    }
  }

  /**
   * One look at every queue. Its turn passes from a queue when there was room to take, and not by rounds: of two queues one could be next
   * whenever there is no room.
   * @returns whether there may be more at once
   */
  private async round(): Promise<boolean> {
    let found = false;
    for (const queue of [...this.turns]) {
      const isNext = queue === this.turns[0];
      const taken = await this.lookAt(queue, isNext);
      if (isNext && taken !== undefined) this.turns.push(...this.turns.splice(0, 1));
      if (taken === true) found = true;
    }
    return found;
  }

  /** A queue that cannot be read keeps nobody from the others. @returns whether it had a message; undefined where it was not asked */
  private async lookAt(queue: LeasedQueue, mayTake: boolean): Promise<boolean | undefined> {
    try {
      await this.recover(queue);
      const room = mayTake ? this.budget.room() : undefined;
      if (room === undefined) return undefined;
      const found = await this.takeFrom(queue, room);
      this.failures.delete(queue);
      return found;
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
      this.failed(queue, error);
      return false;
    }
  }

  private async recover(queue: LeasedQueue): Promise<void> {
    const since = this.recovered.get(queue);
    if (since !== undefined && performance.now() - since < this.config.worker.poll_interval) return;
    this.recovered.set(queue, performance.now());
    const { lease, retry } = await queue.recover();
    if (lease > 0) this.observer.recovered(queue.name, 'lease', lease);
    if (retry > 0) this.observer.recovered(queue.name, 'retry', retry);
  }

  private async takeFrom(queue: LeasedQueue, room: Room): Promise<boolean> {
    if (!this.lifecycle.isReady) return false;
    const holder = `${this.process}.${this.takings++}`;
    // what Redis has leased to this process by the time that it ends has to be given back
    const taking = { breakOff: () => undefined };
    this.lifecycle.begin(taking);
    try {
      const { messages, tooLarge } = await queue.take({ holder, lease: this.config.worker.lease, ...room });
      this.budget.wants(tooLarge);
      for (const message of messages) this.begin(new HeldMessage(message, queue));
      return messages.length > 0;
    } finally {
      this.lifecycle.end(taking);
    }
  }

  private begin(held: HeldMessage): void {
    const bytes = held.message.member.length;
    this.budget.add(bytes);
    this.lifecycle.begin(held);
    if (!this.lifecycle.isReady) held.interrupt('broken_off');
    this.runner
      .run(held)
      .catch((error: unknown) => {
        // its lease ends by itself, and counts as a try
        this.logger.error({ err: error, queue: held.queue.name, receipt: held.message.receipt }, 'message not ended');
      })
      .finally(() => {
        this.budget.remove(bytes);
        this.lifecycle.end(held);
        this.waker.wake();
      });
  }

  /** Once for each reason: a queue is looked at several times a second. */
  private failed(queue: LeasedQueue, { failure, detail }: BrokerError): void {
    if (this.failures.get(queue) === detail) return;
    this.failures.set(queue, detail);
    this.logger.warn({ queue: queue.name, failure, detail }, 'nothing can be taken');
  }
}
