import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { requireSingleToken } from '../worker/single-token.checks.ts';
import { LOCAL } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { WorkerCall } from '../worker/worker-call.ts';
import type { MooncakeEngines } from './mooncake-engines.ts';
import { SidecarKv, handedOver, met, requireKeys, someText } from './sidecar-kv.ts';
import type { MeetingPlace } from './sidecar-kv.ts';
import { kvParams, requireSide } from './sidecar-params.ts';

const FLAGS = ['do_remote_prefill', 'do_remote_decode', 'transfer_id'] as const;

/** A transfer that both workers know by its id, on an engine that decode is told (`sidecar.md` 4.7). */
export class MooncakeKv extends SidecarKv {
  constructor(
    private readonly place: MeetingPlace,
    private readonly engines: MooncakeEngines,
  ) {
    super();
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt): HandOver {
    requireSingleToken(call.api, call.body);
    const params = kvParams(call) ?? {};
    requireKeys(params, FLAGS, 'kv_transfer_params');
    requireSide(params, 'prefill');
    const rank = call.headers['x-data-parallel-rank'];
    const engine = this.engines.ofRank(rank);
    if (engine === undefined) throw new WireError(`x-data-parallel-rank must name a rank, got ${String(rank)}`);
    return handedOver(this.place, this.transfer(params['transfer_id'], engine), call, prompt);
  }

  async decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    const params = kvParams(call);
    if (params === undefined) return LOCAL;
    requireKeys(params, [...FLAGS, 'remote_bootstrap_addr', 'remote_engine_id'], 'kv_transfer_params');
    requireSide(params, 'decode');
    if ('x-data-parallel-rank' in call.headers) throw new WireError('x-data-parallel-rank is for a prefill');
    const { remote_bootstrap_addr: address, remote_engine_id: engine } = params;
    if (address !== this.engines.address)
      throw new WireError(`remote_bootstrap_addr must be ${this.engines.address}, got ${JSON.stringify(address)}`);
    return met(this.place, this.transfer(params['transfer_id'], someText(engine, 'remote_engine_id')), call, prompt);
  }

  private transfer(id: unknown, engine: string): readonly unknown[] {
    return ['mooncake', someText(id, 'transfer_id'), engine];
  }
}
