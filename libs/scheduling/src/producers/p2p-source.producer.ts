import { z } from 'zod';
import type { Candidate } from '../candidate.ts';
import { PREFIX_PRODUCER } from '../default-producers.ts';
import { hostPort } from '../endpoint.ts';
import type { PluginContext, PreRequest, Producer, SchedulingResult } from '../plugin.ts';
import { RequestNote } from '../request-note.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { sampleOf } from './request-sample.ts';

export const KV_CACHE_SOURCE = 'x-kv-cache-source-host-port';

const p2pParams = z
  .strictObject({
    prefixMatchInfoProducerName: z.string().default(''),
    minCachedTokenDelta: z
      .int()
      .default(1)
      .describe('Tokens that a peer has to have cached beyond what the computing worker has.'),
    prefillProfileName: z.string().min(1).default('prefill'),
  })
  .prefault({});

type P2pParams = z.output<typeof p2pParams>;

/**
 * Tells the worker that computes a prompt which peer has more of it in its cache, to fetch from there. Among peers with about as much the
 * less busy ones are taken more often, and for one request always the same (`epp.md` 5.7).
 */
@SchedulingPlugin({
  type: 'p2p-source-producer',
  parameters: p2pParams,
  requires: [PREFIX_PRODUCER],
  references: ({ prefixMatchInfoProducerName: name }) => (name === '' ? [] : [name]),
})
export class P2pSourceProducer implements Producer, PreRequest {
  readonly stage = 'headers';
  private readonly producer: string;
  private readonly peer: RequestNote<Candidate>;

  /** @throws Error for a lead of no token: not left to the schema, whose messages hide the values of names like that of a secret */
  constructor(
    private readonly params: P2pParams,
    { name }: PluginContext,
  ) {
    const { minCachedTokenDelta: delta } = params;
    if (delta < 1) throw new Error(`p2p-source-producer: minCachedTokenDelta must be >= 1, got ${delta}`);
    this.producer = params.prefixMatchInfoProducerName === '' ? PREFIX_PRODUCER : params.prefixMatchInfoProducerName;
    this.peer = new RequestNote(`${name}:peer`);
  }

  produce(request: SchedulingRequest, candidates: readonly Candidate[]): void {
    const best = candidates.reduce((most, candidate) => Math.max(most, this.cached(candidate)), 0);
    if (best === 0) return;
    const near = candidates.filter((candidate) => this.cached(candidate) > 0 && this.reach(candidate) >= best);
    const peer = chosenOf(near.toSorted(byId), sampleOf(request.id));
    if (peer !== undefined) this.peer.set(request, peer);
  }

  /** What a client sent under the header's name never stays. */
  before(request: SchedulingRequest, { primary, profiles }: SchedulingResult): void {
    request.headers.delete(KV_CACHE_SOURCE);
    const peer = this.peer.of(request);
    const computing = (profiles.get(this.params.prefillProfileName) ?? profiles.get(primary))?.targets[0];
    if (peer === undefined || computing === undefined || peer.endpoint.id === computing.endpoint.id) return;
    if (this.cached(peer) - this.cached(computing) < this.params.minCachedTokenDelta) return;
    request.headers.set(KV_CACHE_SOURCE, hostPort(peer.endpoint));
  }

  /** Tokens of the prompt that it has cached. */
  private cached(candidate: Candidate): number {
    const match = candidate.prefixMatch(this.producer);
    return match === undefined ? 0 : match.matchedBlocks * match.blockSize;
  }

  /** The same and a block, by which it may be behind and still count as near. */
  private reach(candidate: Candidate): number {
    return this.cached(candidate) + (candidate.prefixMatch(this.producer)?.blockSize ?? 0);
  }
}

/** @param sample 0 to 1, which one it is by the weights */
function chosenOf(candidates: readonly Candidate[], sample: number): Candidate | undefined {
  let rest = sample * candidates.reduce((sum, candidate) => sum + weightOf(candidate), 0);
  for (const candidate of candidates) {
    rest -= weightOf(candidate);
    if (rest < 0) return candidate;
  }
  return candidates.at(-1);
}

function weightOf({ load }: Candidate): number {
  return 1 / (1 + Math.max(0, load.waiting ?? 0));
}

function byId(a: Candidate, b: Candidate): number {
  return a.endpoint.id < b.endpoint.id ? -1 : 1;
}
