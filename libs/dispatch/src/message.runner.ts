import { Inject, Injectable } from '@nestjs/common';
import { BrokerKeys } from '#broker';
import { CoordinatorClient } from './coordinator.client.ts';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import { DispatchObserver } from './dispatch.observer.ts';
import type { Dispatch, DispatchEnd } from './dispatch.observer.ts';
import type { HeldMessage } from './held.message.ts';
import { LeaseKeeper } from './lease.keeper.ts';
import { MessageEndings } from './message.endings.ts';
import { readEnvelope } from './received-envelope.ts';
import type { ReceivedEnvelope, UnreadableEnvelope } from './received-envelope.ts';
import { RedisClock } from './redis.clock.ts';
import { answerResult, errorResult } from './result-text.ts';
import { verdictOf } from './retry-policy.ts';
import type { TryEnd } from './retry-policy.ts';
import { TenantPlaces } from './tenant-places.ts';

/** The longest that a timer waits. */
const LONGEST = 2 ** 31 - 1;

/** Brings one message from being taken to its end: one call of the coordinator at most. */
@Injectable()
export class MessageRunner {
  private readonly places: TenantPlaces;

  constructor(
    @Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig,
    private readonly keys: BrokerKeys,
    private readonly clock: RedisClock,
    private readonly keeper: LeaseKeeper,
    private readonly coordinator: CoordinatorClient,
    private readonly endings: MessageEndings,
    private readonly observer: DispatchObserver,
  ) {
    this.places = new TenantPlaces(config.worker.tenant_concurrency);
  }

  async run(held: HeldMessage): Promise<void> {
    const letGo = this.keeper.keep(held);
    try {
      const envelope = await readEnvelope(held.message.member, this.keys);
      const dispatch = this.dispatchOf(held, envelope);
      await this.observer.around(dispatch, () =>
        'problem' in envelope ? this.endings.buryUnreadable(held, envelope) : this.dispatched(held, envelope, dispatch),
      );
    } finally {
      letGo();
    }
  }

  private dispatchOf({ message, queue }: HeldMessage, envelope: ReceivedEnvelope | UnreadableEnvelope): Dispatch {
    const isRead = !('problem' in envelope);
    return {
      queue: queue.name,
      id: isRead ? envelope.keys.id : undefined,
      attempt: message.tries + 1,
      waited: isRead ? this.clock.now() / 1000 - envelope.created : undefined,
      trace: isRead ? envelope.trace : {},
    };
  }

  private async dispatched(held: HeldMessage, envelope: ReceivedEnvelope, dispatch: Dispatch): Promise<DispatchEnd> {
    const { keys, token } = envelope;
    // a message that is taken with no tries left has lost its last worker: whatever else fails is ended then
    if (held.message.tries >= this.config.worker.max_attempts) {
      return this.endings.bury(held, envelope, 'worker_lost', errorResult(keys.wireId, 'WORKER_LOST'));
    }
    if (this.left(envelope) <= 0) return this.endings.fail(held, envelope, 'DEADLINE_EXCEEDED', 'expired');
    const leave = this.places.take(keys.tenant);
    if (leave === undefined) return this.delayed(held, envelope);
    try {
      if (token !== '') held.cancelMark = { key: keys.cancel, token };
      await this.keeper.renew(held);
      const end = held.signal.aborted ? undefined : await this.tried(held, envelope, dispatch);
      return await (end === undefined ? this.interrupted(held, envelope) : this.judged(held, envelope, end));
    } finally {
      leave();
    }
  }

  private delayed(held: HeldMessage, envelope: ReceivedEnvelope): Promise<DispatchEnd> {
    const wait = this.places.wait(envelope.keys.tenant, Math.random());
    return this.endings.retry(held, Math.min(wait, this.left(envelope)), 'delayed');
  }

  /** @returns undefined when it was interrupted */
  private async tried(held: HeldMessage, envelope: ReceivedEnvelope, dispatch: Dispatch): Promise<TryEnd | undefined> {
    const left = this.left(envelope);
    const timer = left > LONGEST ? undefined : setTimeout(() => held.interrupt('deadline'), Math.max(0, left));
    try {
      return await this.coordinator.send(envelope, dispatch.trace, held.signal);
    } catch (error) {
      if (!held.signal.aborted) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  private async interrupted(held: HeldMessage, envelope: ReceivedEnvelope): Promise<DispatchEnd> {
    switch (held.interruption) {
      case 'cancelled':
        return this.endings.cancel(held, envelope);
      case 'deadline':
        return this.endings.fail(held, envelope, 'DEADLINE_EXCEEDED', 'expired', { failure: 'deadline' });
      case 'broken_off':
        return this.endings.giveBack(held);
      case 'lost':
      case undefined:
        return { outcome: 'lost' };
    }
  }

  private async judged(held: HeldMessage, envelope: ReceivedEnvelope, end: TryEnd): Promise<DispatchEnd> {
    const { endings } = this;
    const standing = { attempt: held.message.tries + 1, left: this.left(envelope) };
    const verdict = verdictOf(end, standing, this.config.worker, Math.random());
    const facts = end.kind === 'answer' ? { status: end.status } : { failure: end.failure };
    switch (verdict.kind) {
      case 'retry':
        return endings.retry(held, verdict.delay, 'retried', facts);
      case 'expire':
        return endings.fail(held, envelope, 'DEADLINE_EXCEEDED', 'expired', facts);
      case 'fail':
        return endings.fail(held, envelope, 'RESPONSE_TOO_LARGE', 'delivered', facts);
      case 'deliver':
        return endings.deliver(held, envelope, await resultOf(envelope, end), 'delivered', facts);
      case 'give_up':
        return endings.bury(held, envelope, 'retries_exhausted', await resultOf(envelope, end), facts);
    }
  }

  /** Milliseconds to the deadline. */
  private left({ deadline }: ReceivedEnvelope): number {
    return deadline * 1000 - this.clock.now();
  }
}

/** The last word that the client gets: the answer, or that there was none. */
async function resultOf({ keys }: ReceivedEnvelope, end: TryEnd): Promise<Buffer> {
  if (end.kind === 'failure') return errorResult(keys.wireId, 'RETRIES_EXHAUSTED');
  return answerResult(keys.wireId, end.status, end.body);
}
