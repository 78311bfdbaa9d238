import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { AppConfigModule } from '#config';
import { ConnectorsModule } from '#connectors';
import { GatewayModule, UPSTREAM_CALL_INTERCEPTORS } from '#gateway';
import { PIPELINE_INTERCEPTORS, PipelineModule } from '#pipeline';
import type { PipelineInterceptors, StepClass } from '#pipeline';
import { RuntimeModule } from '#runtime';
import type { Dependency } from '#runtime';
import { ServerModule } from '#server';
import { MEDIA_INTERCEPTORS, StepsModule } from '#steps';
import type { CoordinatorConfig } from './coordinator.config.ts';

const NO_INTERCEPTORS: PipelineInterceptors = { pipeline: [], step: [] };

/** The composition root: which libs there are, and in which order interceptors stand around steps and calls. */
@Module({})
export class CoordinatorModule {
  static register(config: CoordinatorConfig, stepClasses: readonly StepClass[] = []): DynamicModule {
    const runtime = RuntimeModule.register({ readiness: config.readiness, dependencies: dependenciesOf(config) });
    const gateway = GatewayModule.register({
      config: config.gateway,
      interceptors: { provide: UPSTREAM_CALL_INTERCEPTORS, useValue: [] },
    });
    const pipeline = PipelineModule.register({
      config: config.pipeline,
      interceptors: { provide: PIPELINE_INTERCEPTORS, useValue: NO_INTERCEPTORS },
    });
    const connectors = ConnectorsModule.register(config.pipeline);
    const steps = StepsModule.register({
      imports: [gateway, connectors, pipeline],
      mediaInterceptors: { provide: MEDIA_INTERCEPTORS, useValue: [] },
    });
    return {
      module: CoordinatorModule,
      imports: [
        AppConfigModule.of(config),
        runtime,
        steps,
        ServerModule.register(config.server, [pipeline, gateway, runtime]),
        ExternalStepsModule.register(stepClasses, [gateway, connectors, steps]),
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

/** The upstreams whose reachability is told by `/readyz?verbose`. */
export function dependenciesOf(config: CoordinatorConfig): readonly Dependency[] {
  const render = config.pipeline.steps.find(({ type }) => type === 'render')?.params;
  const address = typeof render === 'object' && render !== null && 'address' in render ? render.address : undefined;
  return [
    { name: 'gateway', url: config.gateway.address },
    ...(typeof address === 'string' ? [{ name: 'render', url: address }] : []),
  ];
}
