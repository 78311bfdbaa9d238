import { WorkerKeys, replyList } from '#broker';
import type { DeadLetterFacts, RedisConnection, RequestKeys } from '#broker';
import type { CancelMark, LeasedMessage } from './leased.message.ts';
import type { RedisClock } from './redis.clock.ts';
import { BURY } from './scripts/bury.script.ts';
import { FINISH } from './scripts/finish.script.ts';
import { GIVE_BACK } from './scripts/give-back.script.ts';
import { RECOVER } from './scripts/recover.script.ts';
import { RENEW } from './scripts/renew.script.ts';
import { RETRY } from './scripts/retry.script.ts';
import { TAKE } from './scripts/take.script.ts';

/** Messages of each kind that go back to the queue with one command: Redis does nothing else meanwhile. */
const RECOVERED_AT_ONCE = 100;

/** What a message is ended with. */
export interface Ending {
  readonly keys: RequestKeys;
  readonly token: string;
  /** JSON of the result. */
  readonly result: Buffer;
  /** Seconds that it is kept. */
  readonly ttl: number;
}

/** What may be taken. */
export interface TakeLimits {
  readonly holder: string;
  /** Milliseconds. */
  readonly lease: number;
  readonly count: number;
  /** Of all together. */
  readonly bytes: number;
  /** Of the first one. */
  readonly firstBytes: number;
}

/** What was taken. */
export interface Taking {
  readonly messages: readonly LeasedMessage[];
  /** Bytes of a message that was next and too large; 0 where none was. */
  readonly tooLarge: number;
}

/** What came of a command about one message: `lost` when another holds it, or nobody any more. */
export type Settled = 'done' | 'lost';

/** How a message that is held stands. */
export type LeaseState = 'held' | 'cancelled' | 'lost';

const STATES: readonly LeaseState[] = ['held', 'cancelled', 'lost'];

/** One queue at Redis, and what workers keep beside it. Every method may fail with a BrokerError, after which nothing or all was done. */
export class LeasedQueue {
  private readonly keys: WorkerKeys;
  private readonly held: readonly [leases: string, holders: string, taken: string];

  constructor(
    private readonly redis: RedisConnection,
    private readonly clock: RedisClock,
    readonly name: string,
  ) {
    this.keys = new WorkerKeys(name);
    this.held = [this.keys.leases, this.keys.holders, this.keys.taken];
  }

  async take({ holder, lease, count, bytes, firstBytes }: TakeLimits): Promise<Taking> {
    const limits = [holder, ...[lease, count, bytes, firstBytes].map((limit) => String(Math.ceil(limit)))];
    const reply = replyList(await this.redis.script(TAKE, [...this.held, this.name], limits));
    this.clock.set(Number(String(reply[0])));
    const messages: LeasedMessage[] = [];
    for (let at = 2; at + 3 < reply.length; at += 4) {
      const member = reply[at + 1];
      if (!Buffer.isBuffer(member)) continue;
      const tries = Number(String(reply[at + 3]));
      messages.push({ receipt: String(reply[at]), holder, member, tries });
    }
    return { messages, tooLarge: Number(String(reply[1])) };
  }

  /** Puts back what nobody holds any more, and what is due. */
  async recover(): Promise<{ readonly lease: number; readonly retry: number }> {
    const keys = [...this.held, this.name, this.keys.retries];
    const [lease, retry] = replyList(await this.redis.script(RECOVER, keys, [String(RECOVERED_AT_ONCE)])).map(Number);
    return { lease: lease ?? 0, retry: retry ?? 0 };
  }

  /** Holds the messages for so many milliseconds more. */
  async renew(
    messages: readonly { readonly message: LeasedMessage; readonly cancelMark: CancelMark | undefined }[],
    lease: number,
  ): Promise<LeaseState[]> {
    const { leases, holders } = this.keys;
    // where there is no mark, any key does: without a token it is not looked at
    const keys = [leases, holders, ...messages.map(({ cancelMark }) => cancelMark?.key ?? leases)];
    const values = messages.flatMap(({ message: { receipt, holder }, cancelMark }) => [
      receipt,
      holder,
      cancelMark?.token ?? '',
    ]);
    const [time, ...states] = replyList(await this.redis.script(RENEW, keys, [String(Math.ceil(lease)), ...values]));
    this.clock.set(Number(String(time)));
    return states.map((state) => STATES[Number(state)] ?? 'lost');
  }

  /** Ends the message with its result. @returns `superseded` when its id is that of a later submission, which has its own result */
  async finish(message: LeasedMessage, ending: Ending): Promise<Settled | 'superseded'> {
    const reply = await this.end(message, ending, '0');
    return reply === 3 ? 'superseded' : settled(reply);
  }

  /** Ends it with the result that it was cancelled. @returns `wanted` when the client has changed its mind, and nothing was done */
  async finishCancelled(message: LeasedMessage, ending: Ending): Promise<Settled | 'wanted'> {
    const reply = await this.end(message, ending, '1');
    return reply === 4 ? 'wanted' : settled(reply);
  }

  /** Has it wait for its next try. @param delay milliseconds @param isTry whether a try was made */
  async retry({ receipt, holder }: LeasedMessage, delay: number, isTry: boolean): Promise<Settled> {
    const values = [receipt, holder, String(Math.ceil(delay)), isTry ? '1' : '0'];
    return settled(await this.redis.script(RETRY, [...this.held, this.keys.retries], values));
  }

  async giveBack({ receipt, holder }: LeasedMessage): Promise<Settled> {
    return settled(await this.redis.script(GIVE_BACK, [...this.held, this.name], [receipt, holder]));
  }

  /**
   * Makes it a dead letter.
   * @param ending what its client is told; `isPending`: only where its submission is known to be pending
   */
  async bury(
    { receipt, holder }: LeasedMessage,
    letter: DeadLetterFacts,
    kept: number,
    ending: (Ending & { readonly isPending: boolean }) | undefined,
  ): Promise<Settled> {
    const { dead, letters, deadMembers } = this.keys;
    const keys = [...this.held, dead, letters, deadMembers];
    const values = [receipt, holder, JSON.stringify(letter), String(kept)];
    if (ending === undefined) return settled(await this.redis.script(BURY, keys, values));
    const { mailbox, active, cancel } = ending.keys;
    const told = [ending.token, ending.result, String(ending.ttl), ending.isPending ? '1' : '0'];
    return settled(await this.redis.script(BURY, [...keys, mailbox, active, cancel], [...values, ...told]));
  }

  private end({ receipt, holder }: LeasedMessage, { keys, token, result, ttl }: Ending, cancelled: string) {
    const { mailbox, active, cancel } = keys;
    const values = [receipt, holder, token, result, String(ttl), cancelled];
    return this.redis.script(FINISH, [...this.held, mailbox, active, cancel], values);
  }
}

function settled(reply: unknown): Settled {
  return reply === 0 ? 'lost' : 'done';
}
