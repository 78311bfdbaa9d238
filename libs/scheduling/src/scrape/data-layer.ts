import { FileDiscovery } from '../discovery/file.discovery.ts';
import { ConcurrencyDetector } from '../saturation/concurrency.detector.ts';
import { UtilizationDetector } from '../saturation/utilization.detector.ts';
import type { PluginClass } from '../scheduling-plugin.decorator.ts';
import { CoreMetricsExtractor } from './core-metrics.extractor.ts';
import { MetricsDataSource } from './metrics.source.ts';

/** Plugins that find endpoints, see how they are, and judge whether they are full. */
export const DATA_LAYER: readonly PluginClass<never>[] = [
  MetricsDataSource,
  CoreMetricsExtractor,
  FileDiscovery,
  UtilizationDetector,
  ConcurrencyDetector,
];
