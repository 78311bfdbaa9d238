import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { BrokerError } from '#broker';
import type { DeadLetterFacts, DeadLetterReason } from '#broker';
import { DISPATCH_CONFIG } from './dispatch.config.ts';
import type { DispatchConfig } from './dispatch.config.ts';
import type { DispatchEnd, DispatchOutcome } from './dispatch.observer.ts';
import type { HeldMessage } from './held.message.ts';
import type { Ending } from './leased.queue.ts';
import type { ReceivedEnvelope, UnreadableEnvelope } from './received-envelope.ts';
import { errorResult } from './result-text.ts';
import type { ResultError } from './result-text.ts';

/** Milliseconds between two tries to tell Redis how a message ended. */
const PAUSE = 250;

/** What a message is ended with, and what is known of how it went. */
export interface Facts {
  readonly status?: number | undefined;
  readonly failure?: string | undefined;
}

/**
 * The ways in which a message is let go of. While Redis is away each waits for it, until the process ends: what is not written by then is
 * somebody else's once the lease is over.
 */
@Injectable()
export class MessageEndings {
  private readonly logger = new Logger('dispatch');
  private readonly ttl: number;

  constructor(@Inject(DISPATCH_CONFIG) private readonly config: DispatchConfig) {
    this.ttl = Math.ceil(config.worker.result_ttl / 1000);
  }

  /** With the result, whatever it says. @param outcome what that is called */
  async deliver(
    held: HeldMessage,
    envelope: ReceivedEnvelope,
    result: Buffer,
    outcome: DispatchOutcome,
    facts: Facts = {},
  ): Promise<DispatchEnd> {
    const settled = await settle(held, () => held.queue.finish(held.message, this.ending(envelope, result)));
    return { ...facts, outcome: settled === 'done' ? outcome : settled === 'superseded' ? 'cancelled' : 'lost' };
  }

  /** With the result that there is none. */
  fail(
    held: HeldMessage,
    envelope: ReceivedEnvelope,
    code: ResultError,
    outcome: DispatchOutcome,
    facts: Facts = {},
  ): Promise<DispatchEnd> {
    return this.deliver(held, envelope, errorResult(envelope.keys.wireId, code), outcome, facts);
  }

  /** Since its client gives it up; goes back to its queue where the client has changed its mind meanwhile. */
  async cancel(held: HeldMessage, envelope: ReceivedEnvelope): Promise<DispatchEnd> {
    const ending = this.ending(envelope, errorResult(envelope.keys.wireId, 'CANCELLED'));
    const settled = await settle(held, () => held.queue.finishCancelled(held.message, ending));
    if (settled === 'wanted') return this.giveBack(held);
    return { outcome: settled === 'done' ? 'cancelled' : 'lost' };
  }

  /** For another try. @param wait milliseconds @param outcome `delayed` where none was made */
  async retry(
    held: HeldMessage,
    wait: number,
    outcome: 'retried' | 'delayed',
    facts: Facts = {},
  ): Promise<DispatchEnd> {
    const settled = await settle(held, () => held.queue.retry(held.message, wait, outcome === 'retried'));
    return settled === 'done' ? { ...facts, outcome, delay: wait } : { ...facts, outcome: 'lost' };
  }

  async giveBack(held: HeldMessage): Promise<DispatchEnd> {
    const settled = await settle(held, () => held.queue.giveBack(held.message));
    return { outcome: settled === 'done' ? 'returned' : 'lost' };
  }

  /** As a dead letter, beside the result that its client gets. */
  async bury(
    held: HeldMessage,
    envelope: ReceivedEnvelope,
    reason: Exclude<DeadLetterReason, 'invalid_envelope'>,
    result: Buffer,
    facts: Facts = {},
  ): Promise<DispatchEnd> {
    const { keys, endpoint, created, deadline } = envelope;
    const { tries } = held.message;
    const attempts = reason === 'worker_lost' ? tries : tries + 1;
    const { id, tenant } = keys;
    const letter = { reason, attempts, id, tenant, endpoint, created, deadline, ...facts };
    return this.buried(held, letter, { ...this.ending(envelope, result), isPending: false });
  }

  /** As a dead letter that nobody can read. Its client is told where the message is of a submission that is known to be pending. */
  async buryUnreadable(held: HeldMessage, { problem, owner }: UnreadableEnvelope): Promise<DispatchEnd> {
    const letter = { reason: 'invalid_envelope', attempts: held.message.tries, failure: problem } as const;
    if (owner === undefined) return this.buried(held, letter, undefined);
    const { keys, token } = owner;
    const result = errorResult(keys.wireId, 'INVALID_REQUEST');
    const ending = { keys, token, result, ttl: this.ttl, isPending: true };
    return this.buried(held, { ...letter, id: keys.id, tenant: keys.tenant }, ending);
  }

  private async buried(
    held: HeldMessage,
    letter: Omit<DeadLetterFacts, 'receipt'>,
    ending: (Ending & { readonly isPending: boolean }) | undefined,
  ): Promise<DispatchEnd> {
    const { queue, message } = held;
    const { receipt } = message;
    const { status, failure, reason } = letter;
    const kept = this.config.worker.dead_letters;
    const settled = await settle(held, () => queue.bury(message, { receipt, ...letter }, kept, ending));
    if (settled === 'lost') return { outcome: 'lost', status, failure };
    this.logger.warn({ queue: queue.name, ...letter, receipt }, 'dead letter');
    return { outcome: 'dead', reason, status, failure };
  }

  private ending({ keys, token }: ReceivedEnvelope, result: Buffer): Ending {
    return { keys, token, result, ttl: this.ttl };
  }
}

/** Done when Redis has carried the command out; `lost` when the process ends before. */
async function settle<Result>(held: HeldMessage, command: () => Promise<Result>): Promise<Result | 'lost'> {
  for (;;) {
    try {
      return await command();
    } catch (error) {
      if (!(error instanceof BrokerError)) throw error;
    }
    if (held.processEnds.aborted) return 'lost';
    // aborts when the process ends: one last try is made then
    await delay(PAUSE, undefined, { signal: held.processEnds }).catch(() => undefined);
  }
}
