import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AdminController } from './admin.controller.ts';
import { AdminPageController } from './admin-page.controller.ts';
import { AdminGuard } from './admin.guard.ts';
import { ADMIN_SOURCES } from './admin.sources.ts';
import type { AdminSources } from './admin.sources.ts';
import { MetricsController } from './metrics.controller.ts';

/** The app behind `server.metrics_port`. */
@Module({})
export class AdminModule {
  static register(sources: AdminSources): DynamicModule {
    return {
      module: AdminModule,
      controllers: [MetricsController, AdminController, AdminPageController],
      providers: [{ provide: ADMIN_SOURCES, useValue: sources }, AdminGuard],
    };
  }
}
