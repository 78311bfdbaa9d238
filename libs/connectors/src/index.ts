export { DEFAULT_CONNECTORS, ecConnectorName, kvConnectorName } from './connector-names.ts';
export { ConnectorRegistry } from './connector.registry.ts';
export type { ConnectorDefaults } from './connector.registry.ts';
export { ConnectorsModule } from './connectors.module.ts';
export { EcConnector } from './ec/ec-connector.ts';
export { KvConnector } from './kv/kv-connector.ts';
export { NixlKvConnector } from './kv/nixl.kv-connector.ts';
export { TransferConnector } from './transfer-connector.decorator.ts';
