import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { RequestKeys } from './broker-keys.ts';
import { envelope, joinedByTurns } from './envelope.ts';
import type { Envelope } from './envelope.ts';
import { RedisConnection } from './redis.connection.ts';
import { replyList } from './redis-reply.ts';
import { CANCEL, SUBMIT, UNCANCEL } from './scripts.ts';

/** Seconds that the wish to cancel a request is kept. */
const CANCEL_SECONDS = 7 * 24 * 3600;

/** A request to be queued. */
export interface Submission extends Omit<Envelope, 'token'> {
  /** Whether it takes the place of an earlier one of its id that is over. */
  readonly replaces: boolean;
}

/** How a request stands: `unknown` never was, is over, or is another tenant's. */
export type RequestState =
  { readonly kind: 'ready'; readonly result: Buffer } | { readonly kind: 'pending' } | { readonly kind: 'unknown' };

/** The requests that lie at Redis, as the async processor keeps them. Every method may fail with a BrokerError. */
@Injectable()
export class RequestStore {
  constructor(private readonly redis: RedisConnection) {}

  /** Queues the request. @returns false when one of its id is queued already */
  async submit(submission: Submission): Promise<boolean> {
    const { keys, queue, created, deadline, replaces } = submission;
    const token = randomBytes(16).toString('hex');
    const member = await joinedByTurns(envelope({ ...submission, token }));
    const seconds = String(Math.max(1, deadline - created));
    const values = [token, seconds, String(deadline), member, replaces ? '1' : '0'];
    return (await this.redis.script(SUBMIT, [keys.active, keys.cancel, queue], values)) === 1;
  }

  /** Looks again for a result where there is no mark: it may have taken the mark's place between the two. */
  async lookup(keys: RequestKeys): Promise<RequestState> {
    const result = await this.result(keys);
    if (result !== undefined) return { kind: 'ready', result };
    if ((await this.redis.command(keys.active, 'EXISTS', keys.active)) === 1) return { kind: 'pending' };
    const late = await this.result(keys);
    return late === undefined ? { kind: 'unknown' } : { kind: 'ready', result: late };
  }

  /** JSON of the result, if there is one. */
  async result({ mailbox }: RequestKeys): Promise<Buffer | undefined> {
    const reply = await this.redis.command(mailbox, 'LRANGE', mailbox, '0', '0');
    const [first] = replyList(reply);
    return Buffer.isBuffer(first) ? first : undefined;
  }

  /** Asks for a pending request to be dropped before it is begun. */
  async cancel({ active, cancel }: RequestKeys): Promise<void> {
    await this.redis.script(CANCEL, [active, cancel], [String(CANCEL_SECONDS)]);
  }

  /** Takes `cancel` back, as far as it is about the submission that is pending. */
  async uncancel({ active, cancel }: RequestKeys): Promise<void> {
    await this.redis.script(UNCANCEL, [active, cancel]);
  }

  async removeResult({ mailbox }: RequestKeys): Promise<void> {
    await this.redis.command(mailbox, 'DEL', mailbox);
  }

  /** Keeps the result for so many seconds more; 0 removes it. */
  async keepResult(keys: RequestKeys, seconds: number): Promise<void> {
    if (seconds === 0) return this.removeResult(keys);
    await this.redis.command(keys.mailbox, 'EXPIRE', keys.mailbox, String(seconds));
  }
}
