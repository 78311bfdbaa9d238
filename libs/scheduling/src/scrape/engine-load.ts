import type { EndpointLoad } from '../endpoint.ts';
import type { EngineMetrics } from './engine-metrics.ts';
import type { MetricSpec } from './metric-spec.ts';
import { findSeries } from './prometheus-text.ts';
import type { Series } from './series-line.ts';

/** What an exposition says of its engine. */
export interface EngineLoad {
  /** Only what was found. */
  readonly load: Partial<EndpointLoad>;
  /** Figures that the engine should have and that were not there, or were no numbers. */
  readonly missing: number;
}

/** Reads the figures of an engine; `updatedAt` is left to whoever knows when the exposition came. */
export function engineLoad(exposition: Buffer, engine: EngineMetrics): EngineLoad {
  const reading = new Reading(exposition);
  reading.gauge('waiting', engine.waiting, Math.trunc);
  reading.gauge('running', engine.running, Math.trunc);
  reading.gauge('kvUsage', engine.kvUsage);
  reading.cacheInfo(engine);
  reading.gauge('blockSize', engine.blockSize, Math.trunc);
  reading.gauge('blocks', engine.blocks, Math.trunc);
  return reading;
}

type Figure = Exclude<keyof EndpointLoad, 'updatedAt'>;

class Reading implements EngineLoad {
  readonly load: { -readonly [Key in Figure]?: EndpointLoad[Key] } = {};
  missing = 0;

  constructor(private readonly exposition: Buffer) {}

  gauge(figure: Figure, spec: MetricSpec | undefined, as: (value: number) => number = (value) => value): void {
    if (spec === undefined) return;
    this.set(figure, as(findSeries(this.exposition, spec)?.value ?? NaN));
  }

  /** A series without the label of the block size says that there is none: what was known of it does not hold. */
  cacheInfo({ cacheInfo, blockSizeLabels, blocksLabel }: EngineMetrics): void {
    if (cacheInfo === undefined) return;
    const series = findSeries(this.exposition, cacheInfo);
    if (series === undefined) {
      this.missing++;
      return;
    }
    this.load.blockSize = 0;
    this.label('blockSize', series, blockSizeLabels);
    this.label('blocks', series, [blocksLabel]);
  }

  private label(figure: Figure, { labels }: Series, names: readonly string[]): void {
    const value = names.map((name) => labels.get(name)).find((text) => text !== undefined && text !== '');
    if (value !== undefined) this.set(figure, /^\d+$/.test(value) ? Number(value) : NaN);
  }

  private set(figure: Figure, value: number): void {
    if (Number.isFinite(value)) this.load[figure] = value;
    else this.missing++;
  }
}
