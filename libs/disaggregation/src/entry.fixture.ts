import type { FakeUpstream } from '#testing';
import { AllowList, EveryHost } from './allow-list.ts';
import type { DisaggBench, Exchange, Received, Sent } from './disagg.fixture.ts';
import { EcExampleStage } from './ec/ec-example.stage.ts';
import { EntryService } from './entry.service.ts';
import type { EntryParts } from './entry.service.ts';
import { pullOf } from './kv/transfer.fixture.ts';
import { SharedStorageTransfer } from './kv/shared-storage.transfer.ts';

/** An entry with a connector that waits for prefill, an encode stage and no protection, but for what a test wants to be different. */
export function entryOf(bench: DisaggBench, changes: Partial<EntryParts> = {}): EntryService {
  return new EntryService({
    samplesPrefillers: false,
    allowList: new EveryHost(),
    kv: new SharedStorageTransfer(bench.stages, bench.decode),
    pull: pullOf({ keys: 'current', dataParallelSize: 8 }),
    encode: new EcExampleStage(bench.stages),
    decode: bench.decode,
    ...changes,
  });
}

/** Allows the hosts that are listed. */
export class Listed extends AllowList {
  private readonly hosts: readonly string[];

  constructor(...hosts: readonly string[]) {
    super();
    this.hosts = hosts;
  }

  allows(host: string): boolean {
    return this.hosts.includes(host);
  }
}

/** One request through the entry, and what the client gets. */
export async function enter(
  bench: DisaggBench,
  entry: EntryService,
  sent: Sent,
): Promise<{ readonly exchange: Exchange; readonly answer: Received }> {
  const exchange = bench.exchange(sent);
  const answer = await exchange.received(entry.run(exchange.request));
  await exchange.watch.settled();
  return { exchange, answer };
}

export const addressOf = ({ url }: FakeUpstream): string => url.slice('http://'.length);
