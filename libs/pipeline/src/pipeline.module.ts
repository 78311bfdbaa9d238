import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { PIPELINE_CONFIG } from './pipeline.config.ts';
import type { PipelineConfig } from './pipeline.config.ts';
import { PipelineService } from './pipeline.service.ts';
import { PIPELINE_INTERCEPTORS } from './step.interceptor.ts';
import { StepRegistry } from './step.registry.ts';

/** What a pipeline is made of. */
export interface PipelineModuleOptions {
  readonly config: PipelineConfig;
  /** Provides `PipelineInterceptors`. */
  readonly interceptors: Provider & { provide: typeof PIPELINE_INTERCEPTORS };
  /** Modules that the interceptors need. */
  readonly imports?: readonly DynamicModule[];
}

@Module({})
export class PipelineModule {
  static register(options: PipelineModuleOptions): DynamicModule {
    return {
      module: PipelineModule,
      imports: [DiscoveryModule, ...(options.imports ?? [])],
      providers: [
        { provide: PIPELINE_CONFIG, useValue: options.config },
        options.interceptors,
        StepRegistry,
        PipelineService,
      ],
      exports: [PipelineService, PIPELINE_CONFIG],
    };
  }
}
