import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { Lifecycle } from '#foundation';
import { DecisionLog, Director, EndpointStore, ExchangeObservers } from '#scheduling';
import type { Objectives, PickerParts } from '#scheduling';
import type { ExchangeOptions } from './ext-proc/exchange.scope.ts';
import { ExtProcService } from './ext-proc/ext-proc.service.ts';
import { HealthService, Leadership, PoolCompatibility } from './health.service.ts';

/** What the module is made of. */
export interface EppParts {
  readonly picker: PickerParts;
  readonly endpoints: EndpointStore;
  readonly observers: ExchangeObservers;
  readonly leadership: Leadership;
  readonly pool: PoolCompatibility;
  readonly exchange: ExchangeOptions;
  readonly decisions: DecisionLog;
  readonly objectives: Objectives;
}

/** The composition root: who decides, who speaks with Envoy, who answers for health. */
@Module({})
export class EppModule {
  static register(parts: EppParts): DynamicModule {
    const { picker, endpoints, observers, leadership, pool, exchange, decisions, objectives } = parts;
    return {
      module: EppModule,
      providers: [
        Lifecycle,
        HealthService,
        { provide: EndpointStore, useValue: endpoints },
        { provide: ExchangeObservers, useValue: observers },
        { provide: Leadership, useValue: leadership },
        { provide: PoolCompatibility, useValue: pool },
        { provide: Director, useFactory: () => new Director(picker, endpoints, decisions, objectives) },
        {
          provide: ExtProcService,
          inject: [Director, ExchangeObservers, Lifecycle],
          useFactory: (director: Director, watching: ExchangeObservers, lifecycle: Lifecycle) =>
            new ExtProcService(director, watching, lifecycle, exchange),
        },
      ],
    };
  }
}
