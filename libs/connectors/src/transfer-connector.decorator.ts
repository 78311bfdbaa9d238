import 'reflect-metadata';
import { Injectable } from '@nestjs/common';
import type { EcConnector } from './ec/ec-connector.ts';
import type { ConcurrentKvConnector } from './kv/concurrent.kv-connector.ts';
import type { KvConnector } from './kv/kv-connector.ts';

/** The connector of each kind. */
export interface ConnectorKinds {
  readonly kv: KvConnector;
  /** A KV connector's other side, where it has one: it then has two classes of one name. */
  readonly concurrent_kv: ConcurrentKvConnector;
  readonly ec: EcConnector;
}

export type ConnectorKind = keyof ConnectorKinds;

/** What `@TransferConnector` records. */
export interface ConnectorMetadata {
  readonly kind: ConnectorKind;
  /** The name in the configuration. */
  readonly name: string;
}

const CONNECTOR_METADATA = Symbol('connectors:connector');

/** Makes a class the connector of that name. */
export function TransferConnector<Kind extends ConnectorKind>(kind: Kind, name: string) {
  return (target: new (...dependencies: never[]) => ConnectorKinds[Kind]): void => {
    Reflect.defineMetadata(CONNECTOR_METADATA, { kind, name } satisfies ConnectorMetadata, target);
    Injectable()(target);
  };
}

/** What the decorator recorded on a class; undefined where it was not used. */
export function connectorMetadata(target: object): ConnectorMetadata | undefined {
  // the decorator above is the only writer of this key
  return Reflect.getMetadata(CONNECTOR_METADATA, target) as ConnectorMetadata | undefined;
}
