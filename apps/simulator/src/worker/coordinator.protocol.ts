import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import { kvSource } from './decode.checks.ts';
import type { EcRegistry } from './ec-registry.ts';
import { encodeItem } from './encode.checks.ts';
import { transferParams } from './inference-api.ts';
import type { KvRegistry } from './kv-registry.ts';
import { prefillParams, requireEncoded } from './prefill.checks.ts';
import { SglangPair } from './sglang-pair.ts';
import { requireSingleToken, requireUnstored } from './single-token.checks.ts';
import { TransferProtocol } from './transfer-protocol.ts';
import type { HandOver, KvSource } from './transfer-protocol.ts';
import type { Peer, WorkerCall } from './worker-call.ts';

/** What the workers of a process have handed out. */
export interface TransferState {
  readonly config: SimulatorConfig;
  readonly kv: KvRegistry;
  readonly ec: EcRegistry;
  /** Undefined where no worker of this process prefills: what was issued is then not known here. */
  readonly issuedKv: KvRegistry | undefined;
  readonly issuedEc: EcRegistry | undefined;
}

/** The connectors of the coordinator. */
export class CoordinatorProtocol extends TransferProtocol {
  private readonly pair: SglangPair;

  constructor(private readonly state: TransferState) {
    super();
    this.pair = new SglangPair(state.config.sglang, state.issuedKv?.leases);
  }

  item({ api, body }: WorkerCall): MediaItem {
    return encodeItem(api, body);
  }

  encoded(_call: WorkerCall, item: MediaItem, { host, port, engineId: agent }: Peer): JsonObject {
    const { config, ec } = this.state;
    const descriptor = ec.issue(item.hash, item.length, { host, port, agent });
    return config.ec === 'nixl' ? { ec_transfer_params: { [item.hash]: descriptor } } : {};
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver {
    const { api, body } = call;
    const { config, kv } = this.state;
    if (this.isPair(call)) {
      requireSingleToken(api, body);
      requireUnstored(api, body);
      requireEncoded(api, body, prompt, config.ec, this.state.issuedEc);
      return this.pair.prefill(call, prompt, peer);
    }
    const params = prefillParams(api, body);
    requireEncoded(api, body, prompt, config.ec, this.state.issuedEc);
    const { bootstrap_port, bootstrap_room } = params;
    switch (config.kv) {
      case 'nixl':
        return (cachedTokens) => kv.issueNixl(prompt, cachedTokens, peer);
      case 'sglang':
        return (cachedTokens) => {
          kv.openRoom(bootstrap_room, prompt, cachedTokens);
          return { bootstrap_host: peer.host, bootstrap_port, bootstrap_room };
        };
      case 'shared-storage':
        return () => null;
    }
  }

  async decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const { api, body } = call;
    const source = kvSource(api, body, prompt, this.state.config.kv, this.state.issuedKv);
    return this.isPair(call) ? this.pair.decode(call, prompt) : source;
  }

  /** @throws WireError 400 for the members of both kinds of hand-over */
  private isPair(call: WorkerCall): boolean {
    if (this.state.config.kv !== 'sglang' || !this.pair.isOf(call)) return false;
    if (transferParams(call.api, call.body, 'kv_transfer_params') === undefined) return true;
    throw new WireError('kv_transfer_params is not for workers that meet in a room');
  }
}
