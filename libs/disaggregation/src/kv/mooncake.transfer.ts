import { randomInt, randomUUID } from 'node:crypto';
import { InternalError } from '#foundation';
import { buildObject, jsonString } from '#json';
import type { ClientResponse } from '#pipeline';
import type { LocalDecode } from '../decode/local-decode.ts';
import type { TransferRequest } from '../disagg-request.ts';
import type { StageClient } from '../stage.client.ts';
import { failureOf } from '../stage-failure.ts';
import { cappedBody } from './capped-body.ts';
import { DetachedPrefill } from './detached-prefill.ts';
import { KvTransfer } from './kv-transfer.ts';
import { bootstrapFailure } from './mooncake-bootstrap.ts';
import type { MooncakeBootstrap, PrefillEngine } from './mooncake-bootstrap.ts';

/** Mooncake: decode is told which engine of the prefill worker has the blocks, which that worker is asked for first (`sidecar.md` 4.7). */
export class MooncakeTransfer extends KvTransfer {
  readonly name = 'mooncake';
  private readonly legs: DetachedPrefill;

  constructor(
    stages: StageClient,
    decode: LocalDecode,
    private readonly bootstrap: MooncakeBootstrap,
  ) {
    super();
    this.legs = new DetachedPrefill(stages, decode);
  }

  async run(request: TransferRequest): Promise<ClientResponse> {
    const { json, apiType, prefiller } = request;
    const { rank, id } = await this.engineOf(request);
    const transfer_id = jsonString(`xfer-${randomUUID()}`);
    const forPrefill = buildObject({ do_remote_prefill: 'false', do_remote_decode: 'true', transfer_id });
    const forDecode = buildObject({
      do_remote_prefill: 'true',
      do_remote_decode: 'false',
      transfer_id,
      remote_bootstrap_addr: jsonString(this.bootstrap.addressOf(prefiller)),
      remote_engine_id: id,
    });
    return this.legs.run(request, {
      prefill: cappedBody(json, apiType).set('kv_transfer_params', forPrefill),
      prefillHeaders: ['x-data-parallel-rank', rank],
      decode: json.set('kv_transfer_params', forDecode),
      // the worker may be another one at the same address, with other engines
      onFailure: () => {
        this.bootstrap.forget(prefiller);
      },
    });
  }

  /** Any of the worker's engines; without one no leg is sent, and it is the prefill that has failed. */
  private async engineOf({ scope, prefiller, watch }: TransferRequest): Promise<PrefillEngine> {
    try {
      const engines = await this.bootstrap.engines(scope, prefiller);
      const engine = engines[randomInt(engines.length)];
      if (engine === undefined) throw new InternalError(new Error('a worker has at least one engine'));
      return engine;
    } catch (error) {
      watch.stage('prefill').ended({ status: undefined, failure: failureOf(error) });
      throw bootstrapFailure(error);
    }
  }
}
