import { describe, expect, it } from '@jest/globals';
import { CONNECTOR_CLASSES, DEFAULT_CONNECTORS, ecConnectorName, kvConnectorName } from './connector-names.ts';
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
  it('have names of their own', () => {
    const names = CONNECTOR_CLASSES.map((connector) => connectorMetadata(connector)?.name);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(names.length);
  });
});
