import { rawJson } from '#json';
import type { Rope } from '#json';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { DECODE_FLAGS, PREFILL_FLAGS } from './flags.ts';
import { KvConnector } from './kv-connector.ts';

const PREFILL = rawJson(`{${PREFILL_FLAGS}}`);

/** A store both workers reach: prefill writes, decode reads, and nothing but the flags is on the wire. */
@TransferConnector('kv', 'kv-shared-storage')
export class SharedStorageKvConnector extends KvConnector {
  readonly needsHandoff = false;

  forPrefill(): Rope {
    return PREFILL;
  }

  forDecode(): Rope {
    return DECODE_FLAGS;
  }
}
