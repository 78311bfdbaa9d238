import { randomUUID } from 'node:crypto';
import type { SimulatorConfig, WorkerRole } from '../simulator.config.ts';
import { PrefixCache } from './prefix-cache.ts';
import type { Peer } from './worker-call.ts';
import { WorkerLoad } from './worker-load.ts';

/** One worker: its name, its role, and what it holds. */
export class WorkerIdentity {
  readonly engineId = randomUUID();
  readonly prefixCache: PrefixCache;
  readonly load: WorkerLoad;
  /** Tokens since the start, for `/metrics`. */
  readonly counters = { prompt: 0, generated: 0, prefixQueries: 0, prefixHits: 0 };
  /** Where the worker listens, known once it does. Descriptors name it as the side channel too, so they are valid addresses. */
  port = 0;

  constructor(
    readonly name: string,
    readonly role: WorkerRole,
    config: SimulatorConfig,
  ) {
    this.prefixCache = new PrefixCache(config.cache_blocks);
    this.load = new WorkerLoad(config.max_num_seqs);
  }

  /** As other workers are told of it. @param host where it listens */
  peer(host: string): Peer {
    return { engineId: this.engineId, host, port: this.port };
  }
}
