import type { Candidate, InFlight } from '../candidate.ts';
import { IN_FLIGHT_PRODUCER, PREFIX_PRODUCER, TOKEN_PRODUCER } from '../default-producers.ts';
import type { Endpoint } from '../endpoint.ts';
import type { PluginContext, PreRequest, Producer, ResponseObserver, SchedulingResult } from '../plugin.ts';
import { RequestNote } from '../request-note.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { tokenCount } from '../scheduling-request.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { inFlightParams } from './inflight-load.params.ts';
import type { InFlightParams } from './inflight-load.params.ts';
import { LoadCounter } from './load-counter.ts';
import type { FlowLoad, LoadShare } from './load-counter.ts';
import { RequestShares } from './request-shares.ts';

/**
 * Counts what was sent to each endpoint and has not come back: requests, and the tokens that it has to compute for them. Every part of it
 * is let go exactly once, be it in the course of an answer, at its end, or when nobody has the request any more.
 */
@SchedulingPlugin({
  type: IN_FLIGHT_PRODUCER,
  parameters: inFlightParams,
  requires: [TOKEN_PRODUCER],
  references: ({ prefixMatchInfoProducerName: name }) => (name === '' ? [] : [name]),
})
export class InFlightLoadProducer implements Producer, PreRequest, ResponseObserver {
  readonly stage = 'record';
  private readonly counters = new Map<string, LoadCounter>();
  private readonly shares = new RequestShares();
  private readonly noted: RequestNote<ReadonlyMap<string, LoadShare>>;
  private readonly prefixProducer: string;

  constructor(
    private readonly params: InFlightParams,
    private readonly context: PluginContext,
  ) {
    const { prefixMatchInfoProducerName: name } = params;
    this.prefixProducer = name === '' ? PREFIX_PRODUCER : name;
    this.noted = new RequestNote(`${context.name}:shares`);
    context.endpoints.listen({ removed: ({ id }) => void this.counters.delete(id) });
  }

  /** What is in flight to an endpoint that is there. */
  inFlight(endpoint: string): InFlight {
    const { requests = 0, tokens = 0 } = this.counters.get(endpoint) ?? {};
    return { requests, tokens };
  }

  /** What each flow has in flight to each endpoint that is there and has anything. */
  *flows(): Generator<FlowLoad & { readonly endpoint: Endpoint }> {
    for (const { endpoint } of this.context.endpoints.all()) {
      for (const load of this.counters.get(endpoint.id)?.flows ?? []) yield { ...load, endpoint };
    }
  }

  produce(_request: SchedulingRequest, candidates: readonly Candidate[]): void {
    for (const candidate of candidates) candidate.setInFlight(this.context.name, this.inFlight(candidate.endpoint.id));
  }

  before(request: SchedulingRequest, { profiles }: SchedulingResult): void {
    if (request.id === '') return;
    const shares = new Map<string, LoadShare>();
    for (const [profile, { targets }] of profiles) {
      const [target] = targets;
      if (target === undefined) continue;
      const tokens = this.tokensFor(request, target);
      shares.set(profile, this.counterOf(target.endpoint).take({ requests: 1, tokens }, request));
    }
    this.noted.set(request, shares);
    this.shares.keep(request, [...shares.values()]);
  }

  /** The first bytes tell that prefill is done everywhere. */
  firstChunk(request: SchedulingRequest): void {
    for (const [profile, share] of this.noted.of(request) ?? []) {
      if (profile === this.params.prefillProfileName) share.releaseAll();
      else if (!this.params.addEstimatedOutputTokens) share.releaseTokens();
    }
  }

  ended(request: SchedulingRequest): void {
    for (const share of this.noted.of(request)?.values() ?? []) share.releaseAll();
    this.shares.forget(request);
  }

  /** What is not cached of the prompt, and what the answer is taken to come to. */
  private tokensFor(request: SchedulingRequest, target: Candidate): number {
    const input = tokenCount(request);
    const match = target.prefixMatch(this.prefixProducer);
    if (match === undefined) return input + this.outputTokens(request, input);
    const { matchedBlocks, totalBlocks, blockSize } = match;
    const cold = Math.max(0, (totalBlocks - matchedBlocks) * blockSize) + Math.max(0, input - totalBlocks * blockSize);
    return cold + this.outputTokens(request, input);
  }

  private outputTokens({ parsed }: SchedulingRequest, input: number): number {
    const { addEstimatedOutputTokens, outputRatio, maxEstimatedOutputTokens = Infinity } = this.params;
    if (!addEstimatedOutputTokens) return 0;
    return Math.min(Math.round(input * outputRatio), parsed.maxTokens ?? Infinity, maxEstimatedOutputTokens);
  }

  /** Of an endpoint that has gone by now, nobody will ask: its counter is kept by those that count in it. */
  private counterOf({ id }: Endpoint): LoadCounter {
    const known = this.counters.get(id);
    if (known !== undefined) return known;
    const counter = new LoadCounter();
    if (this.context.endpoints.get(id) !== undefined) this.counters.set(id, counter);
    return counter;
  }
}
