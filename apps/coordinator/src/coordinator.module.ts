import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { BrokerModule, RedisConnection } from '#broker';
import { AppConfigModule } from '#config';
import { ConnectorsModule } from '#connectors';
import { GatewayModule } from '#gateway';
import { PipelineModule } from '#pipeline';
import type { StepClass } from '#pipeline';
import { READINESS_CHECKS, RuntimeModule } from '#runtime';
import type { Dependency, ReadinessCheck, RuntimeOptions } from '#runtime';
import { ServerModule } from '#server';
import { StepsModule } from '#steps';
import type { TelemetryParts } from '#telemetry';
import { brokerConfigOf } from './broker-queues.ts';
import type { CoordinatorConfig } from './coordinator.config.ts';
import { UNOBSERVED, observed } from './coordinator.seams.ts';
import type { Seams } from './coordinator.seams.ts';

/** What the module is made of beside the configuration. */
export interface CoordinatorParts {
  /** Steps of `pipeline.modules`. */
  readonly stepClasses?: readonly StepClass[];
  /** Undefined for a coordinator that nobody observes, as the one that warms up. */
  readonly telemetry?: TelemetryParts;
  /** Told whenever a dependency was checked. */
  readonly onReadiness?: RuntimeOptions['onReadiness'];
}

/** The composition root: which libs there are, and in which order interceptors stand around steps and calls. */
@Module({})
export class CoordinatorModule {
  static register(config: CoordinatorConfig, parts: CoordinatorParts = {}): DynamicModule {
    const seams = parts.telemetry === undefined ? UNOBSERVED : observed(parts.telemetry);
    const { imports } = seams;
    const broker = brokerOf(config, seams);
    const runtime = RuntimeModule.register({
      readiness: config.readiness,
      dependencies: dependenciesOf(config),
      checks: broker === undefined ? undefined : { provider: REDIS_CHECK, imports: [broker] },
      onReadiness: parts.onReadiness,
    });
    const gateway = GatewayModule.register({ config: config.gateway, imports, interceptors: seams.calls });
    const pipeline = PipelineModule.register({ config: config.pipeline, imports, interceptors: seams.pipeline });
    const connectors = ConnectorsModule.register(config.pipeline);
    const steps = StepsModule.register({
      imports: [gateway, connectors, pipeline, ...imports],
      mediaInterceptors: seams.media,
      broker,
    });
    return {
      module: CoordinatorModule,
      imports: [
        AppConfigModule.of(config),
        runtime,
        steps,
        ServerModule.register({
          config: config.server,
          imports: [pipeline, gateway, runtime, ...imports],
          observer: seams.requests,
          broker,
        }),
        ExternalStepsModule.register(parts.stepClasses ?? [], [gateway, connectors, steps]),
      ],
    };
  }
}

/** Steps of `pipeline.modules`: what a class lists in `inject` is what its constructor gets. */
@Module({})
export class ExternalStepsModule {
  static register(classes: readonly StepClass[], imports: readonly DynamicModule[]): DynamicModule {
    return {
      module: ExternalStepsModule,
      imports: [...imports],
      providers: classes.map((step) => ({
        provide: step,
        inject: [...(step.inject ?? [])],
        // what `inject` names is what Nest hands over, in that order
        useFactory: (...dependencies: unknown[]): unknown => new step(...(dependencies as never[])),
      })),
    };
  }
}

/** The broker, where the pipeline has its step. */
function brokerOf(all: CoordinatorConfig, { imports, broker }: Seams): DynamicModule | undefined {
  const config = brokerConfigOf(all);
  return config && BrokerModule.register({ config, observer: broker, imports });
}

const REDIS_CHECK: NonNullable<RuntimeOptions['checks']>['provider'] = {
  provide: READINESS_CHECKS,
  inject: [RedisConnection],
  useFactory: (redis: RedisConnection): readonly ReadinessCheck[] => [{ name: 'redis', outage: () => redis.outage() }],
};

/** The upstreams whose reachability is told by `/readyz?verbose`. */
export function dependenciesOf(config: CoordinatorConfig): readonly Dependency[] {
  const render = config.pipeline.steps.find(({ type }) => type === 'render')?.params;
  const address = typeof render === 'object' && render !== null && 'address' in render ? render.address : undefined;
  return [
    { name: 'gateway', url: config.gateway.address },
    ...(typeof address === 'string' ? [{ name: 'render', url: address }] : []),
  ];
}
