import { Logger } from '@nestjs/common';
import type { Rope } from '#json';
import type { HostPort } from '#protocol';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { configuredBootstrapPort } from './bootstrap-port.ts';
import { ConcurrentKvConnector } from './concurrent.kv-connector.ts';
import { randomRoom, roomMembers } from './sglang-room.ts';

/** Members by which a client would choose ranks, and those of connectors that run one worker after the other. */
const NOT_THE_CLIENTS = {
  routed_dp_rank: undefined,
  data_parallel_rank: undefined,
  disagg_prefill_dp_rank: undefined,
  kv_transfer_params: undefined,
} as const;

/** SGLang: both workers meet in a room at the prefill worker's bootstrap server, which listens on the worker's own address. */
@TransferConnector('concurrent_kv', 'kv-sglang')
export class SglangConcurrentKvConnector extends ConcurrentKvConnector {
  readonly conflictingHeaders = new Set(['x-data-parallel-rank']);
  private readonly logger = new Logger('kv');
  private port: number | undefined;

  members({ host }: HostPort): Readonly<Record<string, Rope | undefined>> {
    this.port ??= configuredBootstrapPort(this.logger);
    return { ...NOT_THE_CLIENTS, ...roomMembers({ host, port: this.port, id: randomRoom() }) };
  }
}
