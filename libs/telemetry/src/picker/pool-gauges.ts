import type { EndpointListener, EndpointState, EndpointStore } from '#scheduling';
import type { PickerMetrics } from './picker-metrics.ts';

/** How a pool is seen. */
export interface PoolView {
  /** Value of the label `name`. */
  readonly name: string;
  /** Milliseconds after which the figures of an endpoint no longer count. */
  readonly staleness: number;
}

/** Means and spreads over a pool, and the queue of each endpoint; the series of one that has gone go with it. */
export class PoolGauges implements EndpointListener {
  constructor(
    private readonly metrics: PickerMetrics,
    private readonly endpoints: Pick<EndpointStore, 'all' | 'listen'>,
    private readonly pool: PoolView,
  ) {
    endpoints.listen(this);
  }

  removed({ name }: { readonly name: string }): void {
    this.metrics.on.endpointQueue.remove([this.pool.name, name]);
  }

  /** Takes the figures as they are. @param now on the clock of `performance.now()` */
  update(now = performance.now()): void {
    const { on } = this.metrics;
    const label = [this.pool.name] as const;
    const fresh = this.endpoints.all().filter(({ load }) => isFresh(load.updatedAt, now, this.pool.staleness));
    on.readyEndpoints.set(label, fresh.length);
    this.spread(
      on.kvUsageMean,
      on.kvUsageSpread,
      fresh.map(({ load }) => load.kvUsage ?? 0),
    );
    this.spread(on.queueMean, on.queueSpread, fresh.map(waitingOf));
    this.spread(
      on.runningMean,
      on.runningSpread,
      fresh.map(({ load }) => load.running ?? 0),
    );
    for (const state of fresh) on.endpointQueue.set([this.pool.name, state.endpoint.name], waitingOf(state));
  }

  private spread(mean: PoolGauge, deviation: PoolGauge, values: readonly number[]): void {
    const count = Math.max(1, values.length);
    const middle = values.reduce((sum, value) => sum + value, 0) / count;
    const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / count;
    mean.set([this.pool.name], middle);
    deviation.set([this.pool.name], Math.sqrt(variance));
  }
}

interface PoolGauge {
  set(values: readonly [string], value: number): void;
}

function waitingOf({ load }: EndpointState): number {
  return load.waiting ?? 0;
}

function isFresh(updatedAt: number | undefined, now: number, staleness: number): boolean {
  return updatedAt !== undefined && now - updatedAt <= staleness;
}
