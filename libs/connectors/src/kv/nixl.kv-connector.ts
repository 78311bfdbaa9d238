import { rawJson } from '#json';
import type { Rope } from '#json';
import { TransferConnector } from '../transfer-connector.decorator.ts';
import { PREFILL_FLAGS, withDecodeFlags } from './flags.ts';
import { KvConnector } from './kv-connector.ts';

const PREFILL = rawJson(
  `{${PREFILL_FLAGS},"remote_engine_id":null,"remote_block_ids":null,"remote_host":null,"remote_port":null}`,
);

/** NIXL: decode pulls the blocks from the prefill worker that the parameters name. */
@TransferConnector('kv', 'kv-nixl')
export class NixlKvConnector extends KvConnector {
  readonly needsHandoff = true;

  forPrefill(): Rope {
    return PREFILL;
  }

  forDecode(fromPrefill: Rope | undefined): Rope {
    return withDecodeFlags(fromPrefill);
  }
}
