import { describe, expect, it } from '@jest/globals';
import {
  CONCURRENT_KV_CONNECTORS,
  CONNECTOR_CLASSES,
  DEFAULT_CONNECTORS,
  ecConnectorName,
  kvConnectorName,
} from './connector-names.ts';
import { connectorMetadata } from './transfer-connector.decorator.ts';

describe.each([
  { kind: 'kv', schema: kvConnectorName, names: ['kv-nixl', 'kv-shared-storage', 'kv-sglang'] },
  { kind: 'ec', schema: ecConnectorName, names: ['ec-nixl', 'ec-shared-storage'] },
] as const)('the name of an $kind connector', ({ kind, schema, names }) => {
  it.each(['', ...names])('may be %j', (name) => {
    expect(schema.parse(name)).toBe(name);
  });

  it.each(['nixl', 'KV-NIXL', 'kv-nixl ', kind === 'kv' ? 'ec-nixl' : 'kv-nixl'])(
    'is not %j, and the message lists what it may be',
    (name) => {
      const issue = schema.safeParse(name).error?.issues[0]?.message;
      expect(issue).toBe(`unknown ${kind}_connector: "${name}" (there are ${names.join(', ')})`);
    },
  );

  it.each([null, 1, true, ['kv-nixl'], undefined])('is no %j', (value) => {
    expect(schema.safeParse(value).success).toBe(false);
  });

  it('stands for shared storage when it is empty', () => {
    expect(names).toContain(DEFAULT_CONNECTORS[kind]);
    expect(DEFAULT_CONNECTORS[kind]).toBe(`${kind}-shared-storage`);
  });
});

describe('the connectors', () => {
  it('have names of their own, each kind by itself', () => {
    const metadata = CONNECTOR_CLASSES.map((connector) => connectorMetadata(connector));
    expect(metadata).not.toContain(undefined);
    expect(new Set(metadata.map((found) => `${found?.kind}:${found?.name}`)).size).toBe(metadata.length);
  });

  it('run their workers at the same time with kv-sglang alone, which can run one after the other too', () => {
    expect([...CONCURRENT_KV_CONNECTORS]).toEqual(['kv-sglang']);
    for (const name of CONCURRENT_KV_CONNECTORS) expect(kvConnectorName.parse(name)).toBe(name);
  });
});
