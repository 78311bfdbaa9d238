import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AsyncWorkerProcess } from './async-worker.process.ts';
import type { QueueBench } from './queue-bench.ts';

/** What is done to the parts, and how often. */
const COUNTS = { kill: 12, restart: 3, freeze: 2, pause: 1 } as const;
type EventKind = keyof typeof COUNTS;

/** Milliseconds; longer than a lease. */
const FROZEN_MS = 2_500;
const PAUSED_MS = 1_000;

/** Things that go wrong, in an order that the seed decides. */
export class ChaosEvents {
  readonly done = { kill: 0, restart: 0, freeze: 0, pause: 0 };
  private readonly order: readonly EventKind[];

  /** @param launch starts a worker in the place of one that is gone */
  constructor(
    private readonly bench: QueueBench,
    private readonly workers: AsyncWorkerProcess[],
    private readonly launch: () => Promise<AsyncWorkerProcess>,
    private readonly seed: number,
  ) {
    const kinds = (Object.keys(COUNTS) as EventKind[]).flatMap((kind) => Array<EventKind>(COUNTS[kind]).fill(kind)); // its own keys
    this.order = kinds
      .map((kind, place) => ({ kind, rank: this.chance(place) }))
      .toSorted((a, b) => a.rank - b.rank)
      .map(({ kind }) => kind);
  }

  get count(): number {
    return this.order.length;
  }

  /** The one of that place. */
  async happen(place: number): Promise<void> {
    const kind = this.order[place] ?? 'kill';
    this.done[kind]++;
    switch (kind) {
      case 'kill':
        return this.killWorker(this.chance(this.count + place));
      case 'restart':
        await this.bench.redis.stop();
        return this.bench.redis.run();
      case 'freeze':
        this.bench.redis.freeze();
        await sleep(FROZEN_MS);
        this.bench.redis.thaw();
        return;
      case 'pause':
        await this.bench.client.sendCommand(['CLIENT', 'PAUSE', String(PAUSED_MS), 'ALL']).catch(() => undefined);
    }
  }

  private async killWorker(chance: number): Promise<void> {
    const place = Math.floor(chance * this.workers.length);
    await this.workers[place]?.crash();
    this.workers[place] = await this.launch();
  }

  /** From 0 to 1, the same for the same seed. */
  private chance(place: number): number {
    return createHash('sha256').update(`${this.seed}:${place}`).digest().readUInt32BE() / 2 ** 32;
  }
}
