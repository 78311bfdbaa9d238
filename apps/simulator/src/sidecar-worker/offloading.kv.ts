import { asObject } from '../control/json-value.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { requireSingleToken } from '../worker/single-token.checks.ts';
import { LOCAL } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';
import { p2pAddress, withoutPull } from './pull-block.ts';
import type { P2pKeys } from './pull-block.ts';
import { SidecarKv, handedOver, met, requireKeys, someText } from './sidecar-kv.ts';
import type { MeetingPlace } from './sidecar-kv.ts';
import { kvParams } from './sidecar-params.ts';

/** Prefill is told an id to be asked for, decode whom to ask for it (`sidecar.md` 4.8). */
export class OffloadingKv extends SidecarKv {
  /** @param port on which prefill workers hand blocks over */
  constructor(
    private readonly place: MeetingPlace,
    private readonly keys: P2pKeys,
    private readonly port: number,
  ) {
    super();
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt, { host }: Peer): HandOver {
    requireSingleToken(call.api, call.body);
    const { decoder } = this.keys;
    const params = withoutPull(kvParams(call) ?? {}, this.keys);
    requireKeys(params, [decoder], 'kv_transfer_params');
    const taker = asObject(params[decoder], `kv_transfer_params.${decoder}`);
    requireKeys(taker, ['kv_request_id'], `kv_transfer_params.${decoder}`);
    const id = someText(taker['kv_request_id'], 'kv_request_id');
    return handedOver(this.place, ['offloading', id, host, this.port], call, prompt);
  }

  async decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const params = kvParams(call);
    if (params === undefined) return LOCAL;
    const rest = withoutPull(params, this.keys);
    if (rest !== params) {
      requireKeys(rest, [], 'kv_transfer_params beside the source of a prefix');
      return { remote: true, cachedTokens: 0 };
    }
    const { prefiller } = this.keys;
    requireKeys(params, [prefiller], 'kv_transfer_params');
    const { id, host, port } = p2pAddress(params[prefiller], `kv_transfer_params.${prefiller}`);
    return met(this.place, ['offloading', id, host, port], call, prompt);
  }
}
