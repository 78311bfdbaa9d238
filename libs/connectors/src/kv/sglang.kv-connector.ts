import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { environment } from '#config';
import { rawJson } from '#json';
import type { Rope } from '#json';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { PREFILL_FLAGS, withDecodeFlags } from './flags.ts';
import { KvConnector } from './kv-connector.ts';

const DEFAULT_PORT = 8998;

/** SGLang: both workers meet in a room on the prefill worker's bootstrap port. */
@TransferConnector('kv', 'kv-sglang')
export class SglangKvConnector extends KvConnector {
  readonly needsHandoff = false;
  private readonly logger = new Logger('kv');
  private port: number | undefined;

  forPrefill(): Rope {
    this.port ??= this.bootstrapPort();
    return rawJson(`{${PREFILL_FLAGS},"bootstrap_port":${this.port},"bootstrap_room":"${randomUUID()}"}`);
  }

  forDecode(fromPrefill: Rope | undefined): Rope {
    return withDecodeFlags(fromPrefill);
  }

  /** `SGLANG_BOOTSTRAP_PORT`, read once; a value that is no port is said so and the default stands (`coordinator.md` D.1). */
  private bootstrapPort(): number {
    const value = environment()['SGLANG_BOOTSTRAP_PORT'] ?? '';
    const port = bootstrapPort(value);
    if (port !== undefined) return port;
    this.logger.error('SGLANG_BOOTSTRAP_PORT is not a port from 1 to 65535, using 8998');
    return DEFAULT_PORT;
  }
}

/** The port that the text names, the default for an empty one, undefined for anything else. */
export function bootstrapPort(value: string): number | undefined {
  if (value === '') return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}
