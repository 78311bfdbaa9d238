import { z } from 'zod';
import { NixlEcConnector } from './ec/nixl.ec-connector.ts';
import { SharedStorageEcConnector } from './ec/shared-storage.ec-connector.ts';
import { NixlKvConnector } from './kv/nixl.kv-connector.ts';
import { SglangConcurrentKvConnector } from './kv/sglang.concurrent-kv-connector.ts';
import { SglangKvConnector } from './kv/sglang.kv-connector.ts';
import { SharedStorageKvConnector } from './kv/shared-storage.kv-connector.ts';
import { connectorMetadata } from './transfer-connector.decorator.ts';
import type { ConnectorKind } from './transfer-connector.decorator.ts';

/** The connectors there are. */
export const CONNECTOR_CLASSES = [
  NixlKvConnector,
  SharedStorageKvConnector,
  SglangKvConnector,
  SglangConcurrentKvConnector,
  NixlEcConnector,
  SharedStorageEcConnector,
] as const;

/** What an empty name stands for. */
export const DEFAULT_CONNECTORS = { kv: 'kv-shared-storage', ec: 'ec-shared-storage' } as const;

function namesOf(kind: ConnectorKind): readonly string[] {
  return CONNECTOR_CLASSES.flatMap((connector) => {
    const metadata = connectorMetadata(connector);
    return metadata?.kind === kind ? [metadata.name] : [];
  });
}

/** The KV connectors whose workers can run at the same time. */
export const CONCURRENT_KV_CONNECTORS: ReadonlySet<string> = new Set(namesOf('concurrent_kv'));

/** A connector's name in the configuration; empty is the deployment's default. */
function connectorName(kind: keyof typeof DEFAULT_CONNECTORS): z.ZodType<string> {
  const names = namesOf(kind);
  return z
    .string()
    .superRefine((name, context) => {
      if (name === '' || names.includes(name)) return;
      const message = `unknown ${kind}_connector: "${name}" (there are ${names.join(', ')})`;
      context.addIssue({ code: 'custom', message });
    })
    .meta({ enum: ['', ...names] });
}

export const kvConnectorName = connectorName('kv');
export const ecConnectorName = connectorName('ec');
