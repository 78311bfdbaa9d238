import type { EndpointStore } from '#scheduling';
import type { PickerFacts } from './picker-facts.ts';
import type { PickerMetrics } from './picker-metrics.ts';

type InFlightLabels = readonly [
  endpoint: string,
  namespace: string,
  producer: string,
  fairness: string,
  priority: string,
];

interface InFlightSeries {
  readonly labels: InFlightLabels;
  requests: number;
  tokens: number;
}

/** What flows are shown for an endpoint that has nothing to do, so that it is told from one that is not there. */
const IDLE = { fairnessId: 'default-flow', priority: 0, requests: 0, tokens: 0 };

/**
 * What producers know, as it is when metrics are scraped. There are as many series as endpoints, and flows that have something in
 * flight: of what has gone, nothing stays.
 */
export class ProducerGauges {
  private shown: ReadonlyMap<string, InFlightSeries> = new Map();

  constructor(
    private readonly metrics: PickerMetrics,
    private readonly facts: PickerFacts,
    private readonly endpoints: Pick<EndpointStore, 'all'>,
  ) {}

  update(): void {
    const { on } = this.metrics;
    for (const { name, type, plugin } of this.facts.prefixProducers) {
      on.prefixIndexSize.set([name, type], plugin.indexSize);
    }
    const present = this.inFlight();
    for (const [key, { labels }] of this.shown) {
      if (present.has(key)) continue;
      on.inFlightRequests.remove(labels);
      on.inFlightTokens.remove(labels);
    }
    for (const { labels, requests, tokens } of present.values()) {
      on.inFlightRequests.set(labels, requests);
      on.inFlightTokens.set(labels, tokens);
    }
    this.shown = present;
  }

  private inFlight(): ReadonlyMap<string, InFlightSeries> {
    const present = new Map<string, InFlightSeries>();
    for (const { name: producer, plugin } of this.facts.inFlightProducers) {
      const idle = this.endpoints.all().map(({ endpoint }) => ({ endpoint, ...IDLE }));
      for (const { endpoint, fairnessId, priority, requests, tokens } of [...idle, ...plugin.flows()]) {
        const flow = this.metrics.flowLabels(fairnessId, priority);
        const labels: InFlightLabels = [endpoint.name, endpoint.namespace, producer, ...flow];
        const key = labels.join('\u0000');
        const series = present.get(key) ?? { labels, requests: 0, tokens: 0 };
        // flows beyond the cap share a series
        series.requests += requests;
        series.tokens += tokens;
        present.set(key, series);
      }
    }
    return present;
  }
}
