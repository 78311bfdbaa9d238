import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { ADMIN_VIEW } from './admin-view.ts';
import { expose } from './exposition.ts';
import type { Format } from './exposition.ts';
import type { ExemplarStore } from './instruments.ts';
import { MetricsController } from './metrics.controller.ts';

/** The app behind a port that has a program's own metrics and nothing else. */
@Module({})
export class MetricsPageModule {
  static register(metrics: { readonly registry: Registry; readonly exemplars: ExemplarStore }): DynamicModule {
    const { registry, exemplars } = metrics;
    const view = { metrics: (format: Format): AsyncIterable<string> => expose(registry, exemplars, format) };
    return {
      module: MetricsPageModule,
      controllers: [MetricsController],
      providers: [{ provide: ADMIN_VIEW, useValue: view }],
    };
  }
}
