import { Injectable } from '@nestjs/common';
import type { Exchange } from '../control/exchange.ts';
import type { JsonObject } from '../control/json-value.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { InferenceApi } from './inference-api.ts';
import { prefillParams, requireEncoded } from './prefill.checks.ts';
import { prefillMs } from './prefill-time.ts';
import { singleTokenAnswer } from './single-token-answer.ts';
import { WorkerIdentity } from './worker-identity.ts';
import { workerPrompt } from './worker-prompt.ts';

/** Computes the KV of a prompt and keeps it for a decode. */
@Injectable()
export class PrefillService {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
  ) {}

  async handle(exchange: Exchange, api: InferenceApi, body: JsonObject): Promise<void> {
    const { config } = this.state;
    const { prefixCache, load, counters } = this.worker;
    const params = prefillParams(api, body);
    const prompt = workerPrompt(api, body, config.verify_tokens);
    requireEncoded(api, body, prompt, config.ec, this.state.issuedEc);
    const tokens = prompt.tokenIds.length;
    const cached = prefixCache.cachedTokens(prompt);
    Object.assign(exchange.call.facts, { tokens, cached, media: prompt.items.length });
    await load.run(tokens, exchange.signal, () => exchange.pause(prefillMs(config.timing, tokens - cached)));
    prefixCache.add(prompt);
    counters.prompt += tokens;
    counters.prefixQueries += tokens;
    counters.prefixHits += cached;
    await exchange.json(200, {
      ...singleTokenAnswer(api, body, prompt, cached, exchange.call.requestId),
      kv_transfer_params: this.handOver(params, prompt, cached),
    });
  }

  private handOver(params: JsonObject, prompt: RenderedPrompt, cached: number): JsonObject | null {
    const { config, kv } = this.state;
    const peer = { engineId: this.worker.engineId, host: config.host, port: this.worker.port };
    switch (config.kv) {
      case 'nixl':
        return kv.issueNixl(prompt, cached, peer);
      case 'sglang':
        kv.openRoom(params['bootstrap_room'], prompt, cached);
        return {
          bootstrap_host: config.host,
          bootstrap_port: params['bootstrap_port'],
          bootstrap_room: params['bootstrap_room'],
        };
      case 'shared-storage':
        return null;
    }
  }
}
