import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { rawJson } from '#json';
import type { Rope } from '#json';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { configuredBootstrapPort } from './bootstrap-port.ts';
import { PREFILL_FLAGS, withDecodeFlags } from './flags.ts';
import { KvConnector } from './kv-connector.ts';

/** SGLang: both workers meet in a room on the prefill worker's bootstrap port. */
@TransferConnector('kv', 'kv-sglang')
export class SglangKvConnector extends KvConnector {
  readonly needsHandoff = false;
  private readonly logger = new Logger('kv');
  private port: number | undefined;

  forPrefill(): Rope {
    this.port ??= configuredBootstrapPort(this.logger);
    return rawJson(`{${PREFILL_FLAGS},"bootstrap_port":${this.port},"bootstrap_room":"${randomUUID()}"}`);
  }

  forDecode(fromPrefill: Rope | undefined): Rope {
    return withDecodeFlags(fromPrefill);
  }
}
