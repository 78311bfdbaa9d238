import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER, TOKEN_PRODUCER } from '../default-producers.ts';
import type { Endpoint, EndpointLoad } from '../endpoint.ts';
import { paced } from '../parsing/paced.ts';
import type { Steps } from '../parsing/paced.ts';
import type { PluginContext, PreRequest, Producer, SchedulingResult } from '../plugin.ts';
import { chainSeed, hashChain } from '../prefix/hash-chain.ts';
import { PrefixIndex } from '../prefix/prefix-index.ts';
import { RequestNote } from '../request-note.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { promptsOf } from '../scheduling-request.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { prefixProducerParams, prefixSettings } from './prefix-producer.params.ts';
import type { PrefixProducerParams, PrefixSettings } from './prefix-producer.params.ts';

/**
 * Takes an endpoint to have in its cache what was sent there lately, and says for each candidate how much of a prompt that is. What a gate
 * turned away is not recorded (`epp.md` 5.3).
 */
@SchedulingPlugin({
  type: PREFIX_PRODUCER,
  parameters: prefixProducerParams,
  requires: [TOKEN_PRODUCER],
})
export class ApproxPrefixCacheProducer implements Producer, PreRequest {
  readonly stage = 'record';
  private readonly settings: PrefixSettings;
  private readonly name: string;
  private readonly endpoints: PluginContext['endpoints'];
  private readonly prefill: string;
  private readonly index = new PrefixIndex();
  /** The hashes of each prompt. */
  private readonly chains: RequestNote<readonly BigUint64Array[]>;

  constructor(params: PrefixProducerParams, context: PluginContext) {
    const { name, endpoints } = context;
    this.settings = prefixSettings(params);
    this.name = name;
    this.endpoints = endpoints;
    this.prefill = params.prefillProfileName;
    this.chains = new RequestNote(`${name}:chains`);
    if (params.blockSize !== undefined) context.warn('blockSize is deprecated: use blockSizeTokens');
    const { blockSize, minBlockSize } = this.settings;
    // what nobody wrote is nobody's mistake
    const isWritten = (params.blockSizeTokens ?? params.blockSize) !== undefined;
    if (isWritten && blockSize < minBlockSize)
      context.warn(`blocks have ${minBlockSize} tokens at least: see minBlockSizeTokens`);
    endpoints.listen({ removed: ({ id }) => this.index.remove(id) });
  }

  /** Blocks in the index, each once. */
  get indexSize(): number {
    return this.index.size;
  }

  produce(request: SchedulingRequest, candidates: readonly Candidate[]): Promise<void> | void {
    return paced(this.match(request, candidates));
  }

  before(request: SchedulingRequest, { primary, profiles }: SchedulingResult): void {
    const chains = this.chains.of(request);
    if (chains === undefined) return;
    const targets = [primary, this.prefill].flatMap((profile) => profiles.get(profile)?.targets.slice(0, 1) ?? []);
    const byId = new Map(targets.map((target) => [target.endpoint.id, target]));
    for (const { endpoint, load } of byId.values()) {
      if (this.isThere(endpoint)) void paced(this.index.record(endpoint.id, chains, this.capacity(load)));
    }
  }

  private *match(request: SchedulingRequest, candidates: readonly Candidate[]): Steps<void> {
    const prompts = promptsOf(request).filter(({ ids }) => ids.length > 0);
    if (prompts.length === 0) return;
    const blockSize = this.blockSize(candidates[0]);
    const seed = chainSeed(request.targetModel, request.parsed.cacheSalt);
    const limits = { blockSize, maxBlocks: this.settings.maxBlocks(blockSize) };
    const chains: BigUint64Array[] = [];
    for (const { ids } of prompts) {
      chains.push(yield* hashChain(ids, seed, limits));
      yield;
    }
    const matched = yield* this.index.lookup(chains);
    const totalBlocks = chains.reduce((sum, { length }) => sum + length, 0);
    for (const candidate of candidates) {
      candidate.setPrefixMatch(this.name, { matchedBlocks: matched(candidate.endpoint.id), totalBlocks, blockSize });
    }
    this.chains.set(request, chains);
  }

  private blockSize(first: Candidate | undefined): number {
    const { autoTune, blockSize, minBlockSize } = this.settings;
    return Math.max(minBlockSize, reported(autoTune, first?.load.blockSize) ?? blockSize);
  }

  private capacity({ blocks }: EndpointLoad): number {
    return reported(this.settings.autoTune, blocks) ?? this.settings.capacity;
  }

  /** One that has gone by now would not be told of again, and its blocks stay for ever. */
  private isThere({ id, address, port }: Endpoint): boolean {
    const present = this.endpoints.get(id)?.endpoint;
    return present !== undefined && present.address === address && present.port === port;
  }
}

/** A worker's figure, where it is asked for and there is one. */
function reported(autoTune: boolean, figure: number | undefined): number | undefined {
  return autoTune && figure !== undefined && figure >= 1 ? Math.floor(figure) : undefined;
}
