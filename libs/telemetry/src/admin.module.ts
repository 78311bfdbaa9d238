import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AdminController } from './admin.controller.ts';
import { AdminPageController } from './admin-page.controller.ts';
import { AdminGuard } from './admin.guard.ts';
import { ADMIN_VIEW } from './admin-view.ts';
import type { AdminView } from './admin-view.ts';
import type { AdminSources } from './admin.sources.ts';
import { MetricsController } from './metrics.controller.ts';
import { OwnProcess } from './own-process.view.ts';

/** The app behind `server.metrics_port`. */
@Module({})
export class AdminModule {
  /** Of the process that the listener is in. */
  static register(sources: AdminSources): DynamicModule {
    return AdminModule.of(new OwnProcess(sources));
  }

  static of(view: AdminView): DynamicModule {
    return {
      module: AdminModule,
      controllers: [MetricsController, AdminController, AdminPageController],
      providers: [{ provide: ADMIN_VIEW, useValue: view }, AdminGuard],
    };
  }
}
