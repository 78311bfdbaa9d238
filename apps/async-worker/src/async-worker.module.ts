import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { RedisConnection } from '#broker';
import { AppConfigModule } from '#config';
import { DispatchModule, DispatchObserver, NoDispatchObserver, QueuesModule } from '#dispatch';
import { UPSTREAM_CALL_INTERCEPTORS } from '#gateway';
import type { UpstreamCallInterceptor } from '#gateway';
import { READINESS_CHECKS, RuntimeModule } from '#runtime';
import type { ReadinessCheck, RuntimeOptions } from '#runtime';
import { ADMIN_VIEW, AdminGuard } from '#telemetry';
import { AdminController } from './admin.controller.ts';
import type { AsyncWorkerConfig } from './async-worker.config.ts';

/** Who looks in at the seams. */
export interface AsyncWorkerParts {
  /** Undefined where nobody watches. */
  readonly observer?: DispatchObserver | undefined;
  /** Around each try of each call, outermost first. */
  readonly interceptors?: readonly UpstreamCallInterceptor[] | undefined;
}

/** A worker without Redis takes nothing, which is what a probe should say soon. */
const READINESS: RuntimeOptions['readiness'] = { interval: 1_000, require: ['redis'] };

/** The composition root: which libs there are. */
@Module({})
export class AsyncWorkerModule {
  static register(config: AsyncWorkerConfig, { observer, interceptors = [] }: AsyncWorkerParts = {}): DynamicModule {
    const { redis_url, redis, admin } = config;
    const queues = QueuesModule.register({
      config,
      servers: { redis_url, redis },
      observer: { provide: DispatchObserver, useValue: observer ?? new NoDispatchObserver() },
    });
    const runtime = RuntimeModule.register({
      readiness: READINESS,
      dependencies: [{ name: 'coordinator', url: config.coordinator.address }],
      checks: { provider: REDIS_CHECK, imports: [queues] },
    });
    const dispatch = DispatchModule.register({
      config,
      interceptors: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: interceptors },
      imports: [queues, runtime],
    });
    return {
      module: AsyncWorkerModule,
      imports: [AppConfigModule.of(config), runtime, dispatch, queues],
      controllers: [AdminController],
      providers: [{ provide: ADMIN_VIEW, useValue: { token: admin.token } }, AdminGuard],
    };
  }
}

const REDIS_CHECK: NonNullable<RuntimeOptions['checks']>['provider'] = {
  provide: READINESS_CHECKS,
  inject: [RedisConnection],
  useFactory: (redis: RedisConnection): readonly ReadinessCheck[] => [{ name: 'redis', outage: () => redis.outage() }],
};
