import type { DecisionLog, EndpointStore } from '#scheduling';
import { expose } from '../exposition.ts';
import type { Format } from '../exposition.ts';
import type { PickerMetrics } from './picker-metrics.ts';

/** What the listener of an endpoint picker shows. */
export interface PickerSources {
  readonly metrics: PickerMetrics;
  readonly endpoints: EndpointStore;
  readonly decisions: Pick<DecisionLog, 'records'>;
  /** Brings gauges up to date that nobody writes as things happen. */
  refresh(): void;
}

export const PICKER_VIEW = Symbol('telemetry:picker-view');

/** The picker as `/metrics` and `/admin` show it. */
export class PickerView {
  /** There is none to be had: nothing is written here, and nothing is read from afar but metrics. */
  readonly token = '';

  constructor(private readonly sources: PickerSources) {}

  async *metrics(format: Format): AsyncIterable<string> {
    const { metrics } = this.sources;
    this.sources.refresh();
    yield* expose(metrics.registry, metrics.exemplars, format);
  }

  /** Who there is, and how they are. @param now on the clock of `performance.now()` */
  endpoints(now = performance.now()): readonly object[] {
    return this.sources.endpoints.all().map(({ endpoint, load }) => {
      const { updatedAt, ...figures } = load;
      const age = updatedAt === undefined ? undefined : Math.round(now - updatedAt);
      return { ...endpoint, load: { ...figures, age_ms: age } };
    });
  }

  /** Why this pod: the latest first. @param count at most so many */
  decisions(count: number): readonly object[] {
    return this.sources.decisions.records().slice(0, count);
  }
}
