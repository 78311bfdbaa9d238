import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AdminGuard } from '../admin.guard.ts';
import { ADMIN_VIEW } from '../admin-view.ts';
import { MetricsController } from '../metrics.controller.ts';
import { PickerAdminController } from './picker-admin.controller.ts';
import { PICKER_VIEW, PickerView } from './picker-view.ts';
import type { PickerSources } from './picker-view.ts';

/** The app behind `--metrics-port` of an endpoint picker. */
@Module({})
export class PickerAdminModule {
  static register(sources: PickerSources): DynamicModule {
    const view = new PickerView(sources);
    return {
      module: PickerAdminModule,
      controllers: [MetricsController, PickerAdminController],
      providers: [{ provide: PICKER_VIEW, useValue: view }, { provide: ADMIN_VIEW, useValue: view }, AdminGuard],
    };
  }
}
