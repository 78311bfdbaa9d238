import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Exchange } from '../control/exchange.ts';
import { SimulatorState } from '../control/simulator-state.ts';
import { WireError } from '../control/wire-error.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { answerFormat } from './answers/answer-format.ts';
import type { Answer } from './answers/answer.ts';
import { isBelowThreshold } from './cache-threshold.ts';
import { requireNoTransfer } from './decode.checks.ts';
import { generate } from './generated-text.ts';
import type { Choice } from './generated-text.ts';
import type { InferenceApi } from './inference-api.ts';
import { prefillMs } from './prefill-time.ts';
import { samplingOf } from './sampling.ts';
import { streamTokens } from './token-stream.ts';
import type { KvSource } from './transfer-protocol.ts';
import type { WorkerCall } from './worker-call.ts';
import { WorkerIdentity } from './worker-identity.ts';
import { workerPrompt } from './worker-prompt.ts';

/** What is said instead of an answer where too little of the prompt is cached. */
const BELOW_THRESHOLD: Choice = { index: 0, tokens: [], finishReason: 'cache_threshold' };

/** Answers a request, from KV that a prefill left, that is cached, or that it computes itself. A probe is answered from the cache or not at all. */
@Injectable()
export class DecodeService {
  constructor(
    private readonly state: SimulatorState,
    private readonly worker: WorkerIdentity,
  ) {}

  async handle(exchange: Exchange, call: WorkerCall): Promise<void> {
    const { config, protocol } = this.state;
    const { api, body } = call;
    const sampling = samplingOf(api, body);
    const prompt = workerPrompt(api, body, config.verify_tokens);
    const tokens = prompt.tokenIds.length;
    const local = this.worker.prefixCache.cachedTokens(prompt);
    const { facts } = exchange.call;
    Object.assign(facts, { tokens, cached: local, stream: sampling.stream });
    if (exchange.call.phase === 'probe') this.gate(call, tokens - local);
    const source = await protocol.decode(call, prompt);
    const cachedTokens = source.remote ? Math.max(local, source.cachedTokens) : local;
    Object.assign(facts, { remote: source.remote, cached: cachedTokens });
    const isBelow = !source.remote && isBelowThreshold(body, local, tokens);
    const answer: Answer = {
      requestId: exchange.call.requestId ?? randomUUID(),
      model: sampling.model,
      created: Math.floor(Date.now() / 1000),
      choices: isBelow ? [BELOW_THRESHOLD] : generate(prompt, sampling),
      promptTokens: tokens,
      cachedTokens,
      sampling,
    };
    if (sampling.stream) exchange.openStream();
    if (isBelow) return this.send(exchange, api, answer);
    await this.worker.load.run(tokens, exchange.signal, async () => {
      await exchange.pause(config.timing.ttft_ms + this.ownPrefillMs(source, tokens - local));
      this.remember(prompt, answer);
      await this.send(exchange, api, answer);
    });
  }

  private async send(exchange: Exchange, api: InferenceApi, answer: Answer): Promise<void> {
    const { itl_ms: gapMs } = this.state.config.timing;
    const format = answerFormat(api, answer);
    const { choices } = answer;
    exchange.call.facts['generated'] = choices.reduce((sum, choice) => sum + choice.tokens.length, 0);
    if (answer.sampling.stream) {
      await streamTokens(exchange, format, choices, gapMs);
      await exchange.end();
      return;
    }
    const beats = Math.max(...choices.map((choice) => choice.tokens.length)) - 1;
    await exchange.pause(Math.max(0, beats) * gapMs);
    await exchange.json(200, format.whole());
  }

  private gate({ api, body }: WorkerCall, uncached: number): void {
    requireNoTransfer(api, body);
    if (uncached >= this.state.config.gate_uncached_tokens) {
      throw new WireError(`${uncached} tokens of the prompt are not cached`, 412);
    }
  }

  private ownPrefillMs(source: KvSource, uncached: number): number {
    return source.remote ? 0 : prefillMs(this.state.config.timing, uncached);
  }

  /** The prompt's KV is here from the first token on. */
  private remember(prompt: RenderedPrompt, answer: Answer): void {
    const { prefixCache, counters } = this.worker;
    prefixCache.add(prompt);
    counters.prompt += answer.promptTokens;
    counters.prefixQueries += answer.promptTokens;
    counters.prefixHits += answer.cachedTokens;
    counters.generated += answer.choices.reduce((sum, choice) => sum + choice.tokens.length, 0);
  }
}
