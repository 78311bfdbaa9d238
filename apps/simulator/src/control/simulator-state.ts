import type { SimulatorConfig } from '../simulator.config.ts';
import { EcRegistry } from '../worker/ec-registry.ts';
import { CoordinatorProtocol } from '../worker/coordinator.protocol.ts';
import type { TransferState } from '../worker/coordinator.protocol.ts';
import { KvRegistry } from '../worker/kv-registry.ts';
import { MooncakeEngines } from '../sidecar-worker/mooncake-engines.ts';
import { sidecarProtocol } from '../sidecar-worker/sidecar.composition.ts';
import type { TransferProtocol } from '../worker/transfer-protocol.ts';
import { Faults } from './faults.ts';
import { RequestLog } from './request-log.ts';

/** What the servers of one process share. */
export class SimulatorState implements TransferState {
  readonly faults = new Faults();
  readonly requests = new RequestLog();
  readonly kv: KvRegistry;
  readonly ec = new EcRegistry();
  readonly engines = new MooncakeEngines();
  /** What workers want of each other. */
  readonly protocol: TransferProtocol;

  constructor(readonly config: SimulatorConfig) {
    this.kv = new KvRegistry(config.kv_lease_ms);
    this.faults.set(config.faults);
    const { sidecar } = config;
    this.protocol =
      sidecar === undefined ? new CoordinatorProtocol(this) : sidecarProtocol(sidecar, this, this.engines);
  }

  /** Undefined where no worker of this process prefills: what was issued is then not known here. */
  get issuedKv(): KvRegistry | undefined {
    return this.has('prefill') ? this.kv : undefined;
  }

  get issuedEc(): EcRegistry | undefined {
    return this.has('encode') ? this.ec : undefined;
  }

  private has(role: 'encode' | 'prefill'): boolean {
    return this.config.workers.some((worker) => worker.role === role || worker.role === 'all');
  }
}
