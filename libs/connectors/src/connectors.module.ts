import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CONNECTOR_CLASSES } from './connector-names.ts';
import { CONNECTOR_DEFAULTS, ConnectorRegistry } from './connector.registry.ts';
import type { ConnectorDefaults } from './connector.registry.ts';

@Module({})
export class ConnectorsModule {
  static register(defaults: ConnectorDefaults): DynamicModule {
    return {
      module: ConnectorsModule,
      imports: [DiscoveryModule],
      providers: [...CONNECTOR_CLASSES, { provide: CONNECTOR_DEFAULTS, useValue: defaults }, ConnectorRegistry],
      exports: [ConnectorRegistry],
    };
  }
}
