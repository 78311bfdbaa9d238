import type { SimulatorConfig } from '../simulator.config.ts';
import { EcRegistry } from '../worker/ec-registry.ts';
import { KvRegistry } from '../worker/kv-registry.ts';
import { Faults } from './faults.ts';
import { RequestLog } from './request-log.ts';

/** What the servers of one process share. */
export class SimulatorState {
  readonly faults = new Faults();
  readonly requests = new RequestLog();
  readonly kv: KvRegistry;
  readonly ec = new EcRegistry();

  constructor(readonly config: SimulatorConfig) {
    this.kv = new KvRegistry(config.kv_lease_ms);
    this.faults.set(config.faults);
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
