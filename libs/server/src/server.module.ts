import { Module } from '@nestjs/common';
import type { DynamicModule, Provider } from '@nestjs/common';
import { RequestObserver } from '#pipeline';
import { InferenceRoutes } from './inference.routes.ts';
import { IntakePolicy } from './intake.policy.ts';
import { PassthroughRoutes } from './passthrough.routes.ts';
import { QueuedResults } from './queued-requests.results.ts';
import { QueuedRequestsRoutes } from './queued-requests.routes.ts';
import { SERVER_CONFIG } from './server.config.ts';
import type { ServerConfig } from './server.config.ts';

/** What the listener is made of. */
export interface ServerModuleOptions {
  readonly config: ServerConfig;
  /** The modules of the pipeline, the gateway and the runtime, as they were registered, and what the observer needs. */
  readonly imports: readonly DynamicModule[];
  readonly observer: Provider & { provide: typeof RequestObserver };
  /** The broker's module; without it there is no route for queued requests. */
  readonly broker?: DynamicModule | undefined;
}

@Module({})
export class ServerModule {
  static register({ config, imports, observer, broker }: ServerModuleOptions): DynamicModule {
    return {
      module: ServerModule,
      imports: [...imports, ...(broker === undefined ? [] : [broker])],
      providers: [
        { provide: SERVER_CONFIG, useValue: config },
        observer,
        IntakePolicy,
        InferenceRoutes,
        PassthroughRoutes,
        ...(broker === undefined ? [] : [QueuedResults, QueuedRequestsRoutes]),
      ],
      exports: [SERVER_CONFIG],
    };
  }
}
