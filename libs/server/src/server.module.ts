import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { InferenceRoutes } from './inference.routes.ts';
import { IntakePolicy } from './intake.policy.ts';
import { PassthroughRoutes } from './passthrough.routes.ts';
import { SERVER_CONFIG } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

@Module({})
export class ServerModule {
  /** @param imports the modules of the pipeline, the gateway and the runtime, as they were registered */
  static register(config: ServerConfig, imports: readonly DynamicModule[]): DynamicModule {
    return {
      module: ServerModule,
      imports: [...imports],
      providers: [{ provide: SERVER_CONFIG, useValue: config }, IntakePolicy, InferenceRoutes, PassthroughRoutes],
      exports: [SERVER_CONFIG],
    };
  }
}
