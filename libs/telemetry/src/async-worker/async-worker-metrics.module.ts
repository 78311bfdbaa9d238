import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ADMIN_VIEW } from '../admin-view.ts';
import { expose } from '../exposition.ts';
import type { Format } from '../exposition.ts';
import { MetricsController } from '../metrics.controller.ts';
import type { AsyncWorkerMetrics } from './async-worker-metrics.ts';

/** The app behind `server.metrics_port` of an async worker. */
@Module({})
export class AsyncWorkerMetricsModule {
  static register({ registry, exemplars }: AsyncWorkerMetrics): DynamicModule {
    const view = { metrics: (format: Format): AsyncIterable<string> => expose(registry, exemplars, format) };
    return {
      module: AsyncWorkerMetricsModule,
      controllers: [MetricsController],
      providers: [{ provide: ADMIN_VIEW, useValue: view }],
    };
  }
}
