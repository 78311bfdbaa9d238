import { randomUUID } from 'node:crypto';
import { buildObject, jsonString } from '#json';
import type { ClientResponse } from '#pipeline';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { StageClient } from '../stage.client.ts';
import { cappedBody } from './capped-body.ts';
import { DetachedPrefill } from './detached-prefill.ts';
import { KvTransfer } from './kv-transfer.ts';
import type { PrefixPull } from './prefix-pull.ts';
import type { TransferKeys } from './transfer-keys.ts';

/** Blocks go from engine to engine through their memory tiers: decode is told where prefill is, prefill waits to be asked (`sidecar.md` 4.8 A). */
export class OffloadingTransfer extends KvTransfer {
  readonly name = 'offloading';
  override readonly canPull = true;
  private readonly legs: DetachedPrefill;

  constructor(
    stages: StageClient,
    decode: LocalDecode,
    private readonly pull: PrefixPull,
    private readonly keys: TransferKeys,
  ) {
    super();
    this.legs = new DetachedPrefill(stages, decode);
  }

  run(request: TransferRequest): Promise<ClientResponse> {
    const { json, apiType, prefiller, source } = request;
    const kv_request_id = jsonString(randomUUID());
    const toDecoder = { [this.keys.decoder]: buildObject({ kv_request_id }) };
    const toPrefiller = buildObject({
      kv_request_id,
      remote_host: jsonString(prefiller.host),
      remote_port: String(this.pull.portOf(prefiller)),
    });
    const forPrefill = buildObject({ ...toDecoder, ...(source === undefined ? {} : this.pull.block(source)) });
    const forDecode = buildObject({ [this.keys.prefiller]: toPrefiller });
    return this.legs.run(request, {
      prefill: cappedBody(json, apiType).set('kv_transfer_params', forPrefill),
      decode: json.set('kv_transfer_params', forDecode),
    });
  }
}
