import { z } from 'zod';
import type { Candidate, InFlight } from '../candidate.ts';
import { IN_FLIGHT_PRODUCER } from '../default-producers.ts';
import type { PluginContext, SaturationDetector } from '../plugin.ts';
import { InFlightLoadProducer } from '../producers/inflight-load.producer.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';

const concurrencyParams = z
  .strictObject({
    maxConcurrency: z.int().min(1).default(100).describe('Requests in flight at which an endpoint counts as full.'),
    maxTokenConcurrency: z.int().min(1).default(1_000_000).describe('The same in tokens.'),
    concurrencyMode: z
      .enum(['requests', 'tokens', 'hybrid'])
      .default('requests')
      .describe('What is counted; hybrid takes the fuller of the two.'),
    inFlightLoadProducerName: z.string().default(''),
    headroom: z.number().min(0).default(0).describe('Has no effect: endpoints are not filtered by it.'),
  })
  .prefault({});

type ConcurrencyParams = z.output<typeof concurrencyParams>;

/** What is in flight over all endpoints, as part of what they may take together; a pool without endpoints is full. */
@SchedulingPlugin({
  type: 'concurrency-detector',
  parameters: concurrencyParams,
  requires: [IN_FLIGHT_PRODUCER],
  references: ({ inFlightLoadProducerName: name }) => (name === '' ? [] : [name]),
})
export class ConcurrencyDetector implements SaturationDetector {
  private readonly producer: string;
  private counts: InFlightLoadProducer | undefined;

  constructor(
    private readonly params: ConcurrencyParams,
    private readonly context: PluginContext,
  ) {
    this.producer = params.inFlightLoadProducerName === '' ? IN_FLIGHT_PRODUCER : params.inFlightLoadProducerName;
  }

  saturation(candidates: readonly Candidate[]): number {
    if (candidates.length === 0) return 1;
    let requests = 0;
    let tokens = 0;
    for (const candidate of candidates) {
      const load = this.inFlight(candidate);
      requests += load?.requests ?? 0;
      tokens += load?.tokens ?? 0;
    }
    const { concurrencyMode, maxConcurrency, maxTokenConcurrency } = this.params;
    const byRequests = concurrencyMode === 'tokens' ? 0 : requests / (maxConcurrency * candidates.length);
    const byTokens = concurrencyMode === 'requests' ? 0 : tokens / (maxTokenConcurrency * candidates.length);
    return Math.max(byRequests, byTokens);
  }

  /** Requests are admitted before producers are asked about them, so the producer itself has to say. */
  private inFlight(candidate: Candidate): InFlight | undefined {
    return candidate.inFlight(this.producer) ?? this.countsOfProducer()?.inFlight(candidate.endpoint.id);
  }

  /** Looked for when it is needed: it may be made after the detector. Undefined where nothing of that name counts. */
  private countsOfProducer(): InFlightLoadProducer | undefined {
    if (this.counts !== undefined) return this.counts;
    try {
      const plugin = this.context.plugin(this.producer);
      if (plugin instanceof InFlightLoadProducer) this.counts = plugin;
    } catch {
      // one of another name was declared, and this one was not named
    }
    return this.counts;
  }
}
