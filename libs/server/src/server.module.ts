import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { RequestObserver } from '#pipeline';
import { InferenceRoutes } from './inference.routes.ts';
import { IntakePolicy } from './intake.policy.ts';
import { PassthroughRoutes } from './passthrough.routes.ts';
import { SERVER_CONFIG } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/** What the listener is made of. */
export interface ServerModuleOptions {
  readonly config: ServerConfig;
  /** The modules of the pipeline, the gateway and the runtime, as they were registered, and what the observer needs. */
  readonly imports: readonly DynamicModule[];
  readonly observer: Provider & { provide: typeof RequestObserver };
}

@Module({})
export class ServerModule {
  static register({ config, imports, observer }: ServerModuleOptions): DynamicModule {
    return {
      module: ServerModule,
      imports: [...imports],
      providers: [
        { provide: SERVER_CONFIG, useValue: config },
        observer,
        IntakePolicy,
        InferenceRoutes,
        PassthroughRoutes,
      ],
      exports: [SERVER_CONFIG],
    };
  }
}
