import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ADMIN_VIEW } from '../admin-view.ts';
import { expose } from '../exposition.ts';
import type { Format } from '../exposition.ts';
import { MetricsController } from '../metrics.controller.ts';
import type { SidecarMetrics } from './sidecar-metrics.ts';

/** The app behind `--metrics-port` of a decode sidecar: its own metrics; those of the engine are behind its serving port. */
@Module({})
export class SidecarMetricsModule {
  static register({ registry, exemplars }: SidecarMetrics): DynamicModule {
    const view = { metrics: (format: Format): AsyncIterable<string> => expose(registry, exemplars, format) };
    return {
      module: SidecarMetricsModule,
      controllers: [MetricsController],
      providers: [{ provide: ADMIN_VIEW, useValue: view }],
    };
  }
}
