import { randomUUID } from 'node:crypto';

/** The engines of the cluster's prefill workers as they tell of them: all workers are on one host, and so have one list. */
export class MooncakeEngines {
  private readonly ids = [randomUUID(), randomUUID()];
  /** Where the list is, known once it is served. */
  address = '';

  ofRank(rank: unknown): string | undefined {
    return typeof rank === 'string' && /^\d$/.test(rank) ? this.ids[Number(rank)] : undefined;
  }

  /** The answer to `GET /query`: by rank. */
  list(): Readonly<Record<string, { readonly engine_id: string; readonly worker_addr: readonly string[] }>> {
    return Object.fromEntries(this.ids.map((id, rank) => [String(rank), { engine_id: id, worker_addr: [] }]));
  }
}
