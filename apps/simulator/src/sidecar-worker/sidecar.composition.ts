import type { TransferState } from '../worker/coordinator.protocol.ts';
import type { SidecarConfig } from '../simulator.config.ts';
import type { MooncakeEngines } from './mooncake-engines.ts';
import { MooncakeKv } from './mooncake.kv.ts';
import { NixlV2Kv } from './nixlv2.kv.ts';
import { OffloadingKv } from './offloading.kv.ts';
import { P2P_KEYS } from './pull-block.ts';
import { SglangKv } from './sglang.kv.ts';
import { SharedStorageKv } from './shared-storage.kv.ts';
import { SidecarEc } from './sidecar-ec.ts';
import type { SidecarKv } from './sidecar-kv.ts';
import { SidecarProtocol } from './sidecar.protocol.ts';

/** The workers' side of the connectors that a configuration names. */
export function sidecarProtocol(
  config: SidecarConfig,
  state: Pick<TransferState, 'issuedKv' | 'ec'>,
  engines: MooncakeEngines,
): SidecarProtocol {
  return new SidecarProtocol(kvOf(config, state, engines), new SidecarEc(state.ec, config.ec_connector === 'ec-nixl'));
}

function kvOf(
  config: SidecarConfig,
  { issuedKv }: Pick<TransferState, 'issuedKv'>,
  engines: MooncakeEngines,
): SidecarKv {
  const place = { leases: issuedKv?.leases, waitMs: config.wait_ms };
  const keys = P2P_KEYS[config.p2p_key_style];
  switch (config.kv_connector) {
    case 'nixlv2':
      return new NixlV2Kv(issuedKv, keys);
    case 'shared-storage':
      return new SharedStorageKv();
    case 'sglang':
      return new SglangKv(place, config.bootstrap_port);
    case 'mooncake':
      return new MooncakeKv(place, engines);
    case 'offloading':
      return new OffloadingKv(place, keys, config.p2p_port);
  }
}
