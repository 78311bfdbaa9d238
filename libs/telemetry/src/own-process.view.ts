import { adminTotals } from './admin-totals.ts';
import type { AdminSources } from './admin.sources.ts';
import type { AdminView, RequestLists } from './admin-view.ts';
import { expose } from './exposition.ts';
import type { Format } from './exposition.ts';

/** The process that the listener is in. */
export class OwnProcess implements AdminView {
  constructor(private readonly sources: AdminSources) {}

  get token(): string {
    return this.sources.token;
  }

  get effectiveConfig(): string {
    return this.sources.effectiveConfig;
  }

  requests(timelines?: number): RequestLists {
    const { recorder } = this.sources;
    return timelines === undefined ? recorder.list() : recorder.latest(timelines);
  }

  find(id: string): readonly object[] {
    return this.sources.recorder.find(id);
  }

  pipeline(): object {
    return this.sources.pipeline;
  }

  async status(): Promise<object> {
    const { recorder, version, logger, metrics, queues } = this.sources;
    return {
      version,
      ...(queues === undefined ? {} : { has_queues: true }),
      in_flight: recorder.inFlight,
      log_level: logger.verbosity.current,
      ...this.sources.readiness(),
      totals: await adminTotals(metrics),
    };
  }

  async queues(): Promise<readonly object[] | undefined> {
    return this.sources.queues?.();
  }

  setLogLevel(level: number): void {
    this.sources.logger.verbosity.current = level;
  }

  drain(): string {
    this.sources.drain();
    return this.sources.readiness().phase;
  }

  async *metrics(format: Format): AsyncIterable<string> {
    const startedAt = performance.now();
    const { metrics, worker } = this.sources;
    yield* expose(metrics.registry, metrics.exemplars, format, worker);
    metrics.on.scrapeDuration.observe([], (performance.now() - startedAt) / 1000);
  }
}
