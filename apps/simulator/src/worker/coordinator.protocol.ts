import type { JsonObject } from '../control/json-value.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import { kvSource } from './decode.checks.ts';
import type { EcRegistry } from './ec-registry.ts';
import { encodeItem } from './encode.checks.ts';
import type { KvRegistry } from './kv-registry.ts';
import { prefillParams, requireEncoded } from './prefill.checks.ts';
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
  constructor(private readonly state: TransferState) {
    super();
  }

  item({ api, body }: WorkerCall): MediaItem {
    return encodeItem(api, body);
  }

  encoded(_call: WorkerCall, item: MediaItem, { host, port, engineId: agent }: Peer): JsonObject {
    const { config, ec } = this.state;
    const descriptor = ec.issue(item.hash, item.length, { host, port, agent });
    return config.ec === 'nixl' ? { ec_transfer_params: { [item.hash]: descriptor } } : {};
  }

  prefill({ api, body }: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver {
    const { config, kv } = this.state;
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

  decode({ api, body }: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    return Promise.resolve(kvSource(api, body, prompt, this.state.config.kv, this.state.issuedKv));
  }
}
