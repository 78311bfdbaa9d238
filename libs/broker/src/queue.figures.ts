import { Injectable } from '@nestjs/common';
import { readDeadLetter } from './dead-letter.ts';
import type { DeadLetter } from './dead-letter.ts';
import { FIGURES, LETTERS } from './queue-figures.scripts.ts';
import { RedisConnection } from './redis.connection.ts';
import { replyList } from './redis-reply.ts';
import { WorkerKeys } from './worker-keys.ts';

/** How one queue stands. */
export interface QueueFigure {
  readonly queue: string;
  /** Messages that may be taken. */
  readonly depth: number;
  /** Deadline of the message that is taken next, which is the nearest one, in seconds since 1970. */
  readonly oldestDeadline: number | undefined;
  /** When that message was queued, in seconds since 1970. */
  readonly oldestCreated: number | undefined;
  /** Messages that async workers have taken. */
  readonly leased: number;
  /** Messages that wait for their next try. */
  readonly retrying: number;
  readonly deadLetters: number;
}

/** What there is to see of queues at Redis, whoever takes from them. Every method may fail with a BrokerError. */
@Injectable()
export class QueueFigures {
  constructor(private readonly redis: RedisConnection) {}

  /** One command; Redis copies no more than the first message for it. */
  async figures(queue: string): Promise<QueueFigure> {
    const { leases, retries, dead } = new WorkerKeys(queue);
    const reply = await this.redis.script(FIGURES, [queue, leases, retries, dead]);
    const [depth = 0, leased = 0, retrying = 0, deadLetters = 0] = replyList(reply).map(Number);
    const [score = '', created = ''] = replyList(reply).slice(4).map(String);
    return {
      queue,
      depth,
      oldestDeadline: secondsOf(score),
      oldestCreated: secondsOf(created),
      leased,
      retrying,
      deadLetters,
    };
  }

  /** The last ones, the latest first. @param limit at least 1 */
  async deadLetters(queue: string, limit: number): Promise<DeadLetter[]> {
    const { dead, letters } = new WorkerKeys(queue);
    const reply = replyList(await this.redis.script(LETTERS, [dead, letters], [String(limit)])).map(String);
    return reply.flatMap((text, place) => {
      if (place % 2 === 0) return [];
      return readDeadLetter(text, Number(reply[place - 1])) ?? [];
    });
  }
}

function secondsOf(text: string): number | undefined {
  const seconds = Number(text);
  return text === '' || !Number.isFinite(seconds) ? undefined : seconds;
}
