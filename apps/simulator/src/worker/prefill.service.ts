import { Injectable } from '@nestjs/common';
import type { Exchange } from '../control/exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { answerFormat } from './answers/answer-format.ts';
import { firstToken } from './first-token.ts';
import { prefillMs } from './prefill-time.ts';
import { streamTokens } from './token-stream.ts';
import type { WorkerCall } from './worker-call.ts';
import { WorkerIdentity } from './worker-identity.ts';
import { workerPrompt } from './worker-prompt.ts';

/** Computes the KV of a prompt and keeps it for a decode. */
@Injectable()
export class PrefillService {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
  ) {}

  async handle(exchange: Exchange, call: WorkerCall): Promise<void> {
    const { config, protocol } = this.state;
    const { prefixCache, load, counters } = this.worker;
    const { api, body, requestId } = call;
    const prompt = workerPrompt(api, body, config.verify_tokens);
    const handOver = protocol.prefill(call, prompt, this.worker.peer(config.host));
    const tokens = prompt.tokenIds.length;
    const cachedTokens = prefixCache.cachedTokens(prompt);
    Object.assign(exchange.call.facts, { tokens, cached: cachedTokens, media: prompt.items.length });
    await load.run(tokens, exchange.signal, () => exchange.pause(prefillMs(config.timing, tokens - cachedTokens)));
    prefixCache.add(prompt);
    counters.prompt += tokens;
    counters.prefixQueries += tokens;
    counters.prefixHits += cachedTokens;
    const answer = firstToken({ api, body, prompt, cachedTokens, requestId });
    const kv_transfer_params = await handOver(cachedTokens);
    const format = answerFormat(api, answer);
    if (!answer.sampling.stream) {
      await exchange.json(200, { ...format.whole(), kv_transfer_params });
      return;
    }
    exchange.openStream();
    await streamTokens(exchange, format, answer.choices, 0);
    await exchange.end();
  }
}
