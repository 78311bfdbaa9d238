import { Injectable } from '@nestjs/common';
import type { Exchange } from '../control/exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { answerFormat } from './answers/answer-format.ts';
import { firstToken } from './first-token.ts';
import type { WorkerCall } from './worker-call.ts';
import { WorkerIdentity } from './worker-identity.ts';

/** Computes the embeddings of one medium and says where they are. */
@Injectable()
export class EncodeService {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
  ) {}

  async handle(exchange: Exchange, call: WorkerCall): Promise<void> {
    const { config, protocol } = this.state;
    const { api, body, requestId } = call;
    const item = protocol.item(call);
    exchange.call.facts['hash'] = item.hash;
    exchange.call.facts['tokens'] = item.length;
    await this.worker.load.run(item.length, exchange.signal, async () => {
      await exchange.pause(config.timing.encode_ms);
    });
    const answer = firstToken({ api, body, prompt: { tokenIds: [0], items: [] }, cachedTokens: 0, requestId });
    await exchange.json(200, {
      ...answerFormat(api, answer).whole(),
      ...protocol.encoded(call, item, this.worker.peer(config.host)),
    });
  }
}
