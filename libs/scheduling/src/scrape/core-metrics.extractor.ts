import { z } from 'zod';
import { labelOf } from '../endpoint.ts';
import type { Endpoint } from '../endpoint.ts';
import type { MetricsExtractor } from '../plugin.ts';
import { SchedulingPlugin } from '../scheduling-plugin.decorator.ts';
import { engineLoad } from './engine-load.ts';
import type { EngineLoad } from './engine-load.ts';
import { engineConfig, engineMetrics, ENGINES } from './engine-metrics.ts';
import type { EngineMetrics } from './engine-metrics.ts';

const OLD_LABEL = 'inference.networking.k8s.io/engine-type';

export const coreMetricsParams = z
  .strictObject({
    engineLabelKey: z.string().min(1).default('llm-d.ai/engine-type').describe('Label of a pod that names its engine.'),
    defaultEngine: z.string().min(1).default('vllm').describe('Engine of pods without the label.'),
    engineConfigs: z
      .array(engineConfig)
      .default([])
      .describe('More engines; one with the name of a known engine replaces it.'),
  })
  .prefault({});

export type CoreMetricsParams = z.output<typeof coreMetricsParams>;

/** Knows under which names each engine says how it is. */
@SchedulingPlugin({ type: 'core-metrics-extractor', parameters: coreMetricsParams })
export class CoreMetricsExtractor implements MetricsExtractor {
  private readonly engines: ReadonlyMap<string, EngineMetrics>;
  private readonly byDefault: EngineMetrics;

  /** @throws Error for a spec that cannot be read, or a default engine that is not there */
  constructor(private readonly params: CoreMetricsParams) {
    const configs = [...ENGINES, ...params.engineConfigs];
    this.engines = new Map(configs.map((config) => [config.name, engineMetrics(config)]));
    const byDefault = this.engines.get(params.defaultEngine);
    if (byDefault === undefined) throw new Error(`defaultEngine "${params.defaultEngine}" not found in engineConfigs`);
    this.byDefault = byDefault;
  }

  /** Pods of an engine that nobody configured are read like those of the default one. */
  extract(exposition: Buffer, endpoint: Pick<Endpoint, 'labels'>): EngineLoad {
    const engine = labelOf(endpoint, this.params.engineLabelKey) || labelOf(endpoint, OLD_LABEL);
    return engineLoad(exposition, this.engines.get(engine ?? '') ?? this.byDefault);
  }
}
