import { hash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';

/** KV blocks that a prefill keeps for one decode. */
export interface KeptBlocks {
  readonly prompt: RenderedPrompt;
  /** Prompt tokens that the prefill found in its cache. */
  readonly cachedTokens: number;
  /** Of the request, which its decode must have, too; undefined: any. */
  readonly requestId?: string | undefined;
}

/** Who wants blocks. */
export interface Taker {
  readonly prompt: RenderedPrompt;
  readonly requestId?: string | undefined;
}

interface Lease {
  readonly promptDigest: string;
  readonly cachedTokens: number;
  readonly requestId: string | undefined;
  readonly expiresAt: number;
  claimed: boolean;
}

const KEPT_LEASES = 10_000;

/** Blocks by a name that both workers know; each is taken once. */
export class KvLeases {
  private readonly leases = new Map<string, Lease>();
  private readonly kept = new EventEmitter();
  private readonly taken = new EventEmitter();

  /** @param leaseMs how long blocks are kept */
  constructor(private readonly leaseMs: number) {
    this.kept.setMaxListeners(0);
    this.taken.setMaxListeners(0);
  }

  has(name: string): boolean {
    return this.leases.has(name);
  }

  keep(name: string, { prompt, cachedTokens, requestId }: KeptBlocks): void {
    const expiresAt = Date.now() + this.leaseMs;
    this.leases.set(name, { promptDigest: promptDigest(prompt), cachedTokens, requestId, expiresAt, claimed: false });
    for (const oldest of this.leases.keys()) {
      if (this.leases.size <= KEPT_LEASES) break;
      this.leases.delete(oldest);
    }
    this.kept.emit(name);
  }

  /** Takes the blocks over. @returns the prompt tokens that the prefill found in its cache @throws WireError 400 saying why it cannot */
  claim(name: string, { prompt, requestId }: Taker): number {
    const lease = this.leases.get(name);
    if (lease === undefined) throw new WireError('kv_transfer_params names blocks that no prefill has issued');
    if (lease.claimed) throw new WireError('kv_transfer_params names blocks that were taken before');
    if (lease.expiresAt < Date.now()) throw new WireError('kv_transfer_params names blocks whose lease has run out');
    if (lease.promptDigest !== promptDigest(prompt))
      throw new WireError('the prompt is not the one whose blocks kv_transfer_params names');
    if (lease.requestId !== undefined && lease.requestId !== requestId)
      throw new WireError('decode and its prefill have different x-request-ids');
    lease.claimed = true;
    this.taken.emit(name);
    return lease.cachedTokens;
  }

  /**
   * The same for blocks that may be yet to come, from a prefill that runs at the same time.
   * @throws WireError 500 when none come within `withinMs`, and the signal's reason when it aborts
   */
  async meet(name: string, taker: Taker, withinMs: number, signal: AbortSignal): Promise<number> {
    if (!this.leases.has(name)) {
      await heard(this.kept, name, { withinMs, signal }, 'no prefill has handed the prompt over');
    }
    return this.claim(name, taker);
  }

  /**
   * Done when the blocks were taken over.
   * @throws WireError 500 when nobody takes them within `withinMs`, and the signal's reason when it aborts
   */
  async gone(name: string, withinMs: number, signal: AbortSignal): Promise<void> {
    if (this.leases.get(name)?.claimed === true) return;
    await heard(this.taken, name, { withinMs, signal }, 'no decode has taken the prompt over');
  }
}

interface Patience {
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

async function heard(emitter: EventEmitter, name: string, { withinMs, signal }: Patience, not: string): Promise<void> {
  const late = AbortSignal.timeout(withinMs);
  await once(emitter, name, { signal: AbortSignal.any([signal, late]) }).catch(() => {
    signal.throwIfAborted();
    throw new WireError(`${not} within ${withinMs} ms`, 500);
  });
}

export function promptDigest({ tokenIds, items }: RenderedPrompt): string {
  return hash('sha1', `${tokenIds.join(',')}|${items.map((item) => item.hash).join(',')}`);
}
