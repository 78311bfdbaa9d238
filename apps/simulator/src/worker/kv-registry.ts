import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { KvLeases } from './kv-leases.ts';
import { BLOCK_TOKENS } from './prefix-cache.ts';
import type { Peer } from './worker-call.ts';

/** What the prefill workers of a cluster have handed out, and what became of it. */
export class KvRegistry {
  readonly leases: KvLeases;
  private nextBlock = 1;

  constructor(leaseMs: number) {
    this.leases = new KvLeases(leaseMs);
  }

  /** The `kv_transfer_params` of a NIXL prefill answer. Block ids are never used twice. @param requestId that decode must have, if any */
  issueNixl(prompt: RenderedPrompt, cachedTokens: number, peer: Peer, requestId?: string): JsonObject {
    const blocks = Math.max(1, Math.ceil(prompt.tokenIds.length / BLOCK_TOKENS));
    const blockIds = [Array.from({ length: blocks }, (_, i) => this.nextBlock + i)];
    this.nextBlock += blocks;
    this.leases.keep(nixlKey(peer.engineId, blockIds), { prompt, cachedTokens, requestId });
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
    this.leases.keep(roomKey(room), { prompt, cachedTokens });
  }

  /** Takes the blocks over. @returns the prompt tokens that the prefill found in its cache @throws WireError 400 saying why it cannot */
  claimNixl(params: JsonObject, prompt: RenderedPrompt, requestId?: string): number {
    const key = nixlKey(params['remote_engine_id'], params['remote_block_ids']);
    return this.leases.claim(key, { prompt, requestId });
  }

  claimRoom(room: unknown, prompt: RenderedPrompt): number {
    return this.leases.claim(roomKey(room), { prompt });
  }
}

function nixlKey(engineId: unknown, blockIds: unknown): string {
  return JSON.stringify([engineId, blockIds]);
}

function roomKey(room: unknown): string {
  return JSON.stringify(['room', room]);
}
