import { afterEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { TestingModule } from '@nestjs/testing';
import { rawJson } from '#json';
import { ConnectorRegistry } from './connector.registry.ts';
import { ConnectorsModule } from './connectors.module.ts';
import { NixlEcConnector } from './ec/nixl.ec-connector.ts';
import { SharedStorageEcConnector } from './ec/shared-storage.ec-connector.ts';
import { KvConnector } from './kv/kv-connector.ts';
import { SglangConcurrentKvConnector } from './kv/sglang.concurrent-kv-connector.ts';
import { NixlKvConnector } from './kv/nixl.kv-connector.ts';
import { SglangKvConnector } from './kv/sglang.kv-connector.ts';
import { SharedStorageKvConnector } from './kv/shared-storage.kv-connector.ts';
import { TransferConnector, connectorMetadata } from './transfer-connector.decorator.ts';

@TransferConnector('kv', 'kv-of-a-module')
class OwnKvConnector extends KvConnector {
  readonly needsHandoff = false;
  readonly forPrefill = () => rawJson('{}');
  readonly forDecode = () => rawJson('{}');
}

@Module({ providers: [OwnKvConnector] })
class OwnModule {}

const modules: TestingModule[] = [];

afterEach(async () => {
  for (const module of modules.splice(0)) await module.close();
});

async function registry(kv_connector = '', ec_connector = ''): Promise<ConnectorRegistry> {
  const imports = [ConnectorsModule.register({ kv_connector, ec_connector }), OwnModule];
  const module = await Test.createTestingModule({ imports }).compile();
  modules.push(module);
  return module.get(ConnectorRegistry);
}

describe('ConnectorRegistry', () => {
  it.each([
    { deployment: '', own: undefined, name: 'kv-shared-storage', type: SharedStorageKvConnector },
    { deployment: '', own: '', name: 'kv-shared-storage', type: SharedStorageKvConnector },
    { deployment: 'kv-nixl', own: undefined, name: 'kv-nixl', type: NixlKvConnector },
    { deployment: 'kv-nixl', own: '', name: 'kv-nixl', type: NixlKvConnector },
    { deployment: 'kv-nixl', own: 'kv-sglang', name: 'kv-sglang', type: SglangKvConnector },
    { deployment: '', own: 'kv-nixl', name: 'kv-nixl', type: NixlKvConnector },
  ])('for deployment "$deployment" and a step\'s $own gives $name', async ({ deployment, own, name, type }) => {
    const connectors = await registry(deployment);
    expect(connectors.kvName(own)).toBe(name);
    expect(connectors.kv(own)).toBeInstanceOf(type);
  });

  it.each([
    { deployment: '', own: undefined, type: SharedStorageEcConnector },
    { deployment: 'ec-nixl', own: '', type: NixlEcConnector },
    { deployment: 'ec-nixl', own: 'ec-shared-storage', type: SharedStorageEcConnector },
  ])('for deployment "$deployment" and a step\'s $own gives the EC connector', async ({ deployment, own, type }) => {
    expect((await registry('', deployment)).ec(own)).toBeInstanceOf(type);
  });

  it('gives the same connector each time', async () => {
    const connectors = await registry();
    expect(connectors.kv('kv-sglang')).toBe(connectors.kv('kv-sglang'));
  });

  it('finds a connector that another module provides', async () => {
    expect((await registry()).kv('kv-of-a-module')).toBeInstanceOf(OwnKvConnector);
  });

  it.each([
    { deployment: 'kv-sglang', own: undefined },
    { deployment: 'kv-nixl', own: 'kv-sglang' },
  ])(
    'for deployment "$deployment" and a step\'s $own gives the connector of workers that run at once',
    async ({ deployment, own }) => {
      expect((await registry(deployment)).concurrentKv(own)).toBeInstanceOf(SglangConcurrentKvConnector);
    },
  );

  it.each(['kv-nixl', 'kv-shared-storage', 'kv-of-a-module'])(
    'has no connector %s for workers that run at once',
    async (name) => {
      const connectors = await registry();
      expect(() => connectors.concurrentKv(name)).toThrow(`unknown concurrent_kv_connector: "${name}"`);
    },
  );

  it.each(['nixl', 'ec-nixl'])('has no KV connector named %s', async (name) => {
    const connectors = await registry();
    expect(() => connectors.kv(name)).toThrow(`unknown kv_connector: "${name}"`);
  });

  it('has no EC connector with the name of a KV connector', async () => {
    const connectors = await registry();
    expect(() => connectors.ec('kv-nixl')).toThrow('unknown ec_connector: "kv-nixl"');
  });
});

describe('TransferConnector', () => {
  it('records kind and name on the class', () => {
    expect(connectorMetadata(OwnKvConnector)).toEqual({ kind: 'kv', name: 'kv-of-a-module' });
    expect(connectorMetadata(KvConnector)).toBeUndefined();
  });

  it('takes classes of its kind only', () => {
    // @ts-expect-error a KV connector is none of kind ec
    TransferConnector('ec', 'wrong')(class extends OwnKvConnector {});
    // @ts-expect-error there is no such kind
    TransferConnector('kvs', 'wrong');
    expect(connectorMetadata(OwnKvConnector)?.kind).toBe('kv');
  });
});
