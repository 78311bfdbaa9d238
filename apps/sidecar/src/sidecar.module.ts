import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { DisaggObserver, EntryService } from '#disaggregation';
import type { RankListener } from '#disaggregation';
import { Lifecycle } from '#foundation';
import { EngineClient } from './http/engine.client.ts';
import { HealthRoutes } from './http/health.routes.ts';
import { InferenceRoutes } from './http/inference.routes.ts';
import { IntakePolicy } from './http/intake.policy.ts';
import { PassthroughRoutes } from './http/passthrough.routes.ts';
import { MAX_BODY, RANK_LISTENER } from './http/rank-listener.token.ts';

/** What all listeners have in common. */
export interface SharedParts {
  readonly lifecycle: Lifecycle;
  readonly entry: EntryService;
  readonly engine: EngineClient;
  readonly observer: DisaggObserver;
  /** Bytes. */
  readonly maxBody: number;
}

/** One listener: the routes, and the engine that is behind them. */
@Module({})
export class SidecarModule {
  static register(listener: RankListener, parts: SharedParts): DynamicModule {
    return {
      module: SidecarModule,
      providers: [
        { provide: RANK_LISTENER, useValue: listener },
        { provide: MAX_BODY, useValue: parts.maxBody },
        { provide: Lifecycle, useValue: parts.lifecycle },
        { provide: EntryService, useValue: parts.entry },
        { provide: EngineClient, useValue: parts.engine },
        { provide: DisaggObserver, useValue: parts.observer },
        IntakePolicy,
        HealthRoutes,
        InferenceRoutes,
        PassthroughRoutes,
      ],
    };
  }
}
