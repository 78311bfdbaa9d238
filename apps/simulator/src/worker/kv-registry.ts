import { hash, randomUUID } from 'node:crypto';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { BLOCK_TOKENS } from './prefix-cache.ts';

/** KV blocks that a prefill keeps for one decode. */
interface Lease {
  readonly promptDigest: string;
  /** Prompt tokens that the prefill found in its cache. */
  readonly cachedTokens: number;
  readonly expiresAt: number;
  claimed: boolean;
}

const KEPT_LEASES = 10_000;

/** What the prefill workers of a cluster have handed out, and what became of it. */
export class KvRegistry {
  private readonly leases = new Map<string, Lease>();
  private nextBlock = 1;

  constructor(private readonly leaseMs: number) {}

  /** The `kv_transfer_params` of a NIXL prefill answer. Block ids are never used twice. */
  issueNixl(
    prompt: RenderedPrompt,
    cachedTokens: number,
    peer: { engineId: string; host: string; port: number },
  ): JsonObject {
    const blocks = Math.max(1, Math.ceil(prompt.tokenIds.length / BLOCK_TOKENS));
    const blockIds = [Array.from({ length: blocks }, (_, i) => this.nextBlock + i)];
    this.nextBlock += blocks;
    this.remember(nixlKey(peer.engineId, blockIds), prompt, cachedTokens);
    return {
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_engine_id: peer.engineId,
      remote_block_ids: blockIds,
      remote_host: peer.host,
      remote_port: peer.port,
      remote_request_id: randomUUID(),
      tp_size: 1,
    };
  }

  /** A room that the caller chose. @throws WireError 400 when it is in use */
  openRoom(room: unknown, prompt: RenderedPrompt, cachedTokens: number): void {
    if (this.leases.has(roomKey(room))) throw new WireError('kv_transfer_params.bootstrap_room is in use');
    this.remember(roomKey(room), prompt, cachedTokens);
  }

  /** Takes the blocks over. @returns the prompt tokens that the prefill found in its cache @throws WireError 400 saying why it cannot */
  claimNixl(params: JsonObject, prompt: RenderedPrompt): number {
    return this.claim(nixlKey(params['remote_engine_id'], params['remote_block_ids']), prompt);
  }

  claimRoom(room: unknown, prompt: RenderedPrompt): number {
    return this.claim(roomKey(room), prompt);
  }

  private claim(key: string, prompt: RenderedPrompt): number {
    const lease = this.leases.get(key);
    if (lease === undefined) throw new WireError('kv_transfer_params names blocks that no prefill has issued');
    if (lease.claimed) throw new WireError('kv_transfer_params names blocks that were taken before');
    if (lease.expiresAt < Date.now()) throw new WireError('kv_transfer_params names blocks whose lease has run out');
    if (lease.promptDigest !== digestOf(prompt))
      throw new WireError('the prompt is not the one whose blocks kv_transfer_params names');
    lease.claimed = true;
    return lease.cachedTokens;
  }

  private remember(key: string, prompt: RenderedPrompt, cachedTokens: number): void {
    this.leases.set(key, {
      promptDigest: digestOf(prompt),
      cachedTokens,
      expiresAt: Date.now() + this.leaseMs,
      claimed: false,
    });
    for (const oldest of this.leases.keys()) {
      if (this.leases.size <= KEPT_LEASES) break;
      this.leases.delete(oldest);
    }
  }
}

function nixlKey(engineId: unknown, blockIds: unknown): string {
  return JSON.stringify([engineId, blockIds]);
}

function roomKey(room: unknown): string {
  return JSON.stringify(['room', room]);
}

function digestOf({ tokenIds, items }: RenderedPrompt): string {
  return hash('sha1', `${tokenIds.join(',')}|${items.map((item) => item.hash).join(',')}`);
}
