import { Inject, Injectable } from '@nestjs/common';
import { BrokerKeys, RedisConnection, WorkerKeys, joinedByTurns } from '#broker';
import { memberSplices, rawJson, validatedObject } from '#json';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import { readEnvelope } from './received-envelope.ts';
import { RedisClock } from './redis.clock.ts';
import { DISCARD, REQUEUE } from './scripts/requeue.script.ts';

/** What came of sending a dead letter again: `taken`: its id is that of a later request, `invalid`: no worker can read it. */
export type Requeued = 'queued' | 'unknown' | 'taken' | 'invalid';

/** What an operator does with dead letters; a receipt names one of any queue. Every method may fail with a BrokerError. */
@Injectable()
export class DeadLetters {
  constructor(
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    private readonly redis: RedisConnection,
    private readonly keys: BrokerKeys,
    private readonly clock: RedisClock,
  ) {}

  /** Queues it anew, with no try made and so many seconds to its deadline; its result gives way to the one to come. */
  async requeue(receipt: string, seconds: number): Promise<Requeued> {
    for (const queue of this.config.queues) {
      const keys = new WorkerKeys(queue);
      const member = await this.redis.command(keys.deadMembers, 'HGET', keys.deadMembers, receipt);
      if (Buffer.isBuffer(member)) return this.requeueMember(keys, receipt, member, seconds);
    }
    return 'unknown';
  }

  /** Forgets it. @returns whether there was one */
  async discard(receipt: string): Promise<boolean> {
    for (const queue of this.config.queues) {
      const { dead, letters, deadMembers } = new WorkerKeys(queue);
      if ((await this.redis.script(DISCARD, [dead, letters, deadMembers], [receipt])) === 1) return true;
    }
    return false;
  }

  private async requeueMember(
    { queue, dead, letters, deadMembers }: WorkerKeys,
    receipt: string,
    member: Buffer,
    seconds: number,
  ): Promise<Requeued> {
    const envelope = await readEnvelope(member, this.keys);
    if ('problem' in envelope) return 'invalid';
    const deadline = Math.ceil(this.clock.now() / 1000) + seconds;
    const { mailbox, active, cancel } = envelope.keys;
    const reply = await this.redis.script(
      REQUEUE,
      [dead, letters, deadMembers, queue, mailbox, active, cancel],
      [receipt, await anew(member, deadline), String(deadline), envelope.token, String(seconds)],
    );
    return reply === 1 ? 'queued' : reply === 2 ? 'taken' : 'unknown';
  }
}

/** The message with another deadline, and without the tries that were made. */
async function anew(member: Buffer, deadline: number): Promise<Buffer> {
  const envelope = await validatedObject(member);
  const [internal, data] = [envelope.get('internal'), envelope.get('data')];
  const splices = [
    ...(internal?.member('retry_count') === undefined ? [] : memberSplices(internal, 'retry_count', rawJson('0'))),
    ...(data === undefined ? [] : memberSplices(data, 'deadline', rawJson(String(deadline)))),
  ];
  return joinedByTurns(envelope.splice(splices).toRope());
}
