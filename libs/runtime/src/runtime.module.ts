import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Lifecycle } from '#foundation';
import { HealthController } from './health.controller.ts';
import { ReadinessService } from './readiness.service.ts';
import { READINESS_CHECKS, RUNTIME_OPTIONS } from './runtime.config.ts';
import type { RuntimeOptions } from './runtime.config.ts';

@Module({})
export class RuntimeModule {
  static register(options: RuntimeOptions): DynamicModule {
    return {
      module: RuntimeModule,
      imports: [...(options.checks?.imports ?? [])],
      controllers: [HealthController],
      providers: [
        { provide: RUNTIME_OPTIONS, useValue: options },
        options.checks?.provider ?? { provide: READINESS_CHECKS, useValue: [] },
        Lifecycle,
        ReadinessService,
      ],
      exports: [Lifecycle, ReadinessService],
    };
  }
}
