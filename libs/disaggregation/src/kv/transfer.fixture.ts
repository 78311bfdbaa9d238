import type { HostPort } from '#protocol';
import type { FakeUpstream } from '#testing';
import { targetOf } from '../disagg.fixture.ts';
import type { DisaggBench, Exchange, Received } from '../disagg.fixture.ts';
import type { KvTransfer } from './kv-transfer.ts';
import { MooncakeBootstrap } from './mooncake-bootstrap.ts';
import { MooncakeTransfer } from './mooncake.transfer.ts';
import { OffloadingTransfer } from './offloading.transfer.ts';
import { PrefixPull } from './prefix-pull.ts';
import { SglangTransfer } from './sglang.transfer.ts';
import { SharedStorageTransfer } from './shared-storage.transfer.ts';
import { TRANSFER_KEYS } from './transfer-keys.ts';
import type { KeyStyle } from './transfer-keys.ts';

/** What the connectors of a bench are told. */
export interface ConnectorOptions {
  readonly keys?: KeyStyle;
  readonly dataParallelSize?: number;
  readonly bootstrapPort?: number;
  readonly room?: () => bigint;
}

/** What a worker of one engine answers to a bootstrap query. */
export const ONE_ENGINE = '{"0": {"worker_addr":{}, "engine_id": "e\\u0030"}}';

export type Connector = 'offloading' | 'mooncake' | 'sglang' | 'shared-storage';

/** Connectors by the names of `--kv-connector`. */
export function connector(name: Connector, bench: DisaggBench, options: ConnectorOptions = {}): KvTransfer {
  const { stages, decode } = bench;
  switch (name) {
    case 'offloading':
      return new OffloadingTransfer(stages, decode, pullOf(options), TRANSFER_KEYS[options.keys ?? 'seed']);
    case 'mooncake':
      return new MooncakeTransfer(
        stages,
        decode,
        new MooncakeBootstrap(bench.prefillClient, options.bootstrapPort ?? 8998),
      );
    case 'sglang':
      return options.room === undefined
        ? new SglangTransfer(stages, decode, 8998)
        : new SglangTransfer(stages, decode, 8998, options.room);
    case 'shared-storage':
      return new SharedStorageTransfer(stages, decode);
  }
}

export function pullOf({ keys = 'seed', dataParallelSize = 1 }: ConnectorOptions = {}): PrefixPull {
  return new PrefixPull({
    keys: TRANSFER_KEYS[keys],
    p2pPort: 7777,
    dataParallelSize,
    basePort: 8000,
    podIp: '10.0.0.1',
  });
}

/** One request through a connector; the client reads its whole answer. */
export async function run(
  transfer: KvTransfer,
  exchange: Exchange,
  prefiller: FakeUpstream | HostPort,
  source?: HostPort,
): Promise<Received> {
  const target = 'url' in prefiller ? targetOf(prefiller) : prefiller;
  const request = await exchange.transfer(target, source);
  return exchange.received(transfer.run(request));
}
