import { WORKER } from './broker-keys.ts';

/**
 * The keys that async workers keep for one queue. The queue's name is at the end of each, and with it its hash tag, so that a
 * cluster has them all where the queue is.
 */
export class WorkerKeys {
  /** Sorted set: receipt, end of the lease in ms since 1970. */
  readonly leases: string;
  /** Hash: receipt, `<holder> <deadline>`; a message that waits for its next try has `-` for a holder. */
  readonly holders: string;
  /** Hash: receipt, the member as it lay on the queue. */
  readonly taken: string;
  /** Sorted set: receipt, when the next try is due in ms since 1970. */
  readonly retries: string;
  /** Sorted set: receipt, when it became a dead letter in ms since 1970. */
  readonly dead: string;
  /** Hash: receipt, JSON of what there is to say about the dead letter. */
  readonly letters: string;
  /** Hash: receipt, the member of the dead letter. */
  readonly deadMembers: string;

  constructor(readonly queue: string) {
    const key = (what: string): string => `${WORKER}${what}:${queue}`;
    this.leases = key('leases');
    this.holders = key('holders');
    this.taken = key('taken');
    this.retries = key('retries');
    this.dead = key('dead');
    this.letters = key('letters');
    this.deadMembers = key('dead-members');
  }
}
