import { Inject, Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DEFAULT_CONNECTORS } from './connector-names.ts';
import type { EcConnector } from './ec/ec-connector.ts';
import type { ConcurrentKvConnector } from './kv/concurrent.kv-connector.ts';
import type { KvConnector } from './kv/kv-connector.ts';
import { connectorMetadata } from './transfer-connector.decorator.ts';
import type { ConnectorKind } from './transfer-connector.decorator.ts';

/** The deployment's connectors, by name; empty is the default of the kind. */
export interface ConnectorDefaults {
  readonly kv_connector: string;
  readonly ec_connector: string;
}

export const CONNECTOR_DEFAULTS = Symbol('connectors:defaults');

/** Connectors by name: the one a step asks for, or else the deployment's. */
@Injectable()
export class ConnectorRegistry {
  private readonly found = new Map<string, unknown>();

  constructor(
    private readonly discovery: DiscoveryService,
    @Inject(CONNECTOR_DEFAULTS) private readonly defaults: ConnectorDefaults,
  ) {}

  /** The name that is in force for a step's own setting. */
  kvName(own: string | undefined): string {
    return chosen(own, this.defaults.kv_connector, DEFAULT_CONNECTORS.kv);
  }

  /** @throws Error when no connector has the name */
  kv(own: string | undefined): KvConnector {
    // the decorator admits subclasses of KvConnector alone for kind kv
    return this.find('kv', this.kvName(own)) as KvConnector;
  }

  /** @throws Error when the connector of the name runs one worker after the other */
  concurrentKv(own: string | undefined): ConcurrentKvConnector {
    // the decorator admits subclasses of ConcurrentKvConnector alone for kind concurrent_kv
    return this.find('concurrent_kv', this.kvName(own)) as ConcurrentKvConnector;
  }

  /** @throws Error when no connector has the name */
  ec(own: string | undefined): EcConnector {
    const name = chosen(own, this.defaults.ec_connector, DEFAULT_CONNECTORS.ec);
    // the decorator admits subclasses of EcConnector alone for kind ec
    return this.find('ec', name) as EcConnector;
  }

  private find(kind: ConnectorKind, name: string): unknown {
    const key = `${kind}:${name}`;
    const connector = this.found.get(key) ?? this.discover(kind, name);
    if (connector === undefined) throw new Error(`unknown ${kind}_connector: "${name}"`);
    this.found.set(key, connector);
    return connector;
  }

  private discover(kind: ConnectorKind, name: string): unknown {
    const provider = this.discovery.getProviders().find(({ metatype }) => {
      const metadata = typeof metatype === 'function' ? connectorMetadata(metatype) : undefined;
      return metadata?.kind === kind && metadata.name === name;
    });
    return provider?.instance;
  }
}

function chosen(own: string | undefined, deployment: string, fallback: string): string {
  if (own !== undefined && own !== '') return own;
  return deployment === '' ? fallback : deployment;
}
