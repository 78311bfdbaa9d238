import { Injectable } from '@nestjs/common';
import type { Exchange } from '../control/exchange.ts';
import type { JsonObject } from '../control/json-value.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { encodeItem } from './encode.checks.ts';
import type { InferenceApi } from './inference-api.ts';
import { singleTokenAnswer } from './single-token-answer.ts';
import { WorkerIdentity } from './worker-identity.ts';

/** Computes the embeddings of one medium and says where they are. */
@Injectable()
export class EncodeService {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
  ) {}

  async handle(exchange: Exchange, api: InferenceApi, body: JsonObject): Promise<void> {
    const { config, ec } = this.state;
    const item = encodeItem(api, body);
    exchange.call.facts['hash'] = item.hash;
    exchange.call.facts['tokens'] = item.length;
    await this.worker.load.run(item.length, exchange.signal, async () => {
      await exchange.pause(config.timing.encode_ms);
    });
    const peer = { host: config.host, port: this.worker.port, agent: this.worker.engineId };
    const descriptor = ec.issue(item.hash, item.length, peer);
    await exchange.json(200, {
      ...singleTokenAnswer(api, body, { tokenIds: [0], items: [] }, 0, exchange.call.requestId),
      ...(config.ec === 'nixl' ? { ec_transfer_params: { [item.hash]: descriptor } } : {}),
    });
  }
}
