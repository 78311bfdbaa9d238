import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { SglangKv } from '../sidecar-worker/sglang.kv.ts';
import type { SglangConfig } from '../simulator.config.ts';
import type { KvLeases } from './kv-leases.ts';
import type { HandOver, KvSource } from './transfer-protocol.ts';
import type { Peer, WorkerCall } from './worker-call.ts';

/** What a coordinator puts behind the id of a request for its prefill. */
const PREFILL_ID = /-prefill$/;
/** Requests of which one call was seen, and the other is yet to come. */
const KEPT_ROOMS = 10_000;

/**
 * SGLang's two workers as a coordinator runs them: at the same time, each told the room in which they meet (`coordinator.md` C.8). Prefill
 * answers when decode has the prompt; either waits for the other, and not for ever.
 */
export class SglangPair {
  private readonly kv: SglangKv;
  /** Rooms by request, of the call that came first. */
  private readonly rooms = new Map<string, string>();

  /** @param leases undefined where prefill workers run elsewhere: decode does not wait for them then */
  constructor(
    private readonly config: SglangConfig,
    private readonly leases: KvLeases | undefined,
  ) {
    this.kv = new SglangKv({ leases, waitMs: config.wait_ms }, config.bootstrap_port);
  }

  /** Whether the call is one of such a pair. */
  isOf({ body }: WorkerCall): boolean {
    return 'bootstrap_room' in body || 'bootstrap_host' in body || 'bootstrap_port' in body;
  }

  /** @throws WireError 400 for a room that is not this worker's, or not the one that decode was told */
  prefill(sent: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver {
    const call = ofRequest(sent);
    const handOver = this.kv.prefill(call, prompt, peer);
    const room = this.agreed(call);
    return async (cachedTokens) => {
      await handOver(cachedTokens);
      await this.leases?.gone(room, this.config.wait_ms, call.signal);
      return null;
    };
  }

  /** @throws WireError 400 for a room that is none, or not the one that prefill was told */
  decode(sent: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const call = ofRequest(sent);
    this.agreed(call);
    return this.kv.decode(call, prompt);
  }

  /** The room's name, under which its blocks are kept, too. */
  private agreed(call: WorkerCall): string {
    const room = JSON.stringify(this.kv.roomOf(call));
    const { requestId } = call;
    if (requestId === undefined) return room;
    const known = this.rooms.get(requestId);
    if (known === undefined) this.note(requestId, room);
    else this.rooms.delete(requestId);
    if (known !== undefined && known !== room) throw new WireError('prefill and decode were told different rooms');
    return room;
  }

  private note(requestId: string, room: string): void {
    this.rooms.set(requestId, room);
    const [oldest] = this.rooms.keys();
    if (this.rooms.size > KEPT_ROOMS && oldest !== undefined) this.rooms.delete(oldest);
  }
}

/** The call under the id that both have in common. */
function ofRequest(call: WorkerCall): WorkerCall {
  return { ...call, requestId: call.requestId?.replace(PREFILL_ID, '') };
}
