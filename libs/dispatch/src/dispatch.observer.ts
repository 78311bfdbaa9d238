import type { DeadLetterReason } from '#broker';
import type { TraceContext } from '#protocol';

/**
 * How the holding of a message ended.
 * - `delivered`: an answer lies in the mailbox, whatever its status.
 * - `retried`: it is sent again later.
 * - `delayed`: its turn has not come, since its tenant has as many on their way as it may have; no try was made.
 * - `expired`: its deadline is over; the mailbox says so.
 * - `cancelled`: the client wants it no more; the mailbox says so.
 * - `dead`: it is a dead letter, and its mailbox, where it has one, says that it failed.
 * - `returned`: it is back on its queue, since the worker ends.
 * - `lost`: another worker has taken it meanwhile; what came of it here is dropped.
 */
export type DispatchOutcome =
  'delivered' | 'retried' | 'delayed' | 'expired' | 'cancelled' | 'dead' | 'returned' | 'lost';

/** One message that a worker has taken from a queue. */
export interface Dispatch {
  readonly queue: string;
  /** The id that the client knows it by; undefined where the envelope cannot be read. */
  readonly id?: string | undefined;
  /** Which try this is, from 1. */
  readonly attempt: number;
  /** Seconds since the client was told that it is queued; undefined where the envelope cannot be read. */
  readonly waited: number | undefined;
  /**
   * What goes along with the request, from the envelope's metadata. An observer that makes a span sets the span's own before it calls
   * `next`.
   */
  trace: TraceContext;
}

/** What came of it. */
export interface DispatchEnd {
  readonly outcome: DispatchOutcome;
  /** HTTP status of the coordinator's answer; undefined where there was none. */
  readonly status?: number | undefined;
  /** Why there was no answer, as a short word; never a message. */
  readonly failure?: string | undefined;
  readonly reason?: DeadLetterReason | undefined;
  /** Milliseconds until the next try. */
  readonly delay?: number | undefined;
}

/** Port: told of what a worker does. Telemetry comes in here. */
export abstract class DispatchObserver {
  /** The worker takes from these queues. */
  abstract began(queues: readonly string[]): void;
  /** Around one message, from taking to letting go. */
  abstract around(dispatch: Dispatch, next: () => Promise<DispatchEnd>): Promise<DispatchEnd>;
  /** Messages are back on their queue: `lease`, a worker let go of them without a word; `retry`, their next try is due. */
  abstract recovered(queue: string, why: 'lease' | 'retry', count: number): void;
  /** @param reason a short word: the server's own error code, or `offline`, `timeout`, `closed` */
  abstract commandFailed(command: string, reason: string): void;
}

/** Watches nothing. */
export class NoDispatchObserver extends DispatchObserver {
  began(): void {}
  around(_dispatch: Dispatch, next: () => Promise<DispatchEnd>): Promise<DispatchEnd> {
    return next();
  }
  recovered(): void {}
  commandFailed(): void {}
}
