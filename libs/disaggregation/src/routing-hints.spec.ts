import { describe, expect, it } from '@jest/globals';
import { routingHints } from './routing-hints.ts';

const lines = (name: string, ...values: readonly string[]): string[] => values.flatMap((value) => [name, value]);

describe('routingHints', () => {
  it('has nothing where no header came', () => {
    expect(routingHints(['host', 'a', 'x-prefiller', 'b'])).toEqual({
      prefill: [],
      encode: [],
      kvCacheSource: undefined,
      dataParallel: undefined,
    });
  });

  it('reads names in any case', () => {
    const raw = [
      ...['X-Prefiller-Host-Port', 'a:1', 'X-ENCODER-HOSTS-PORTS', 'b:2'],
      ...['X-Kv-Cache-Source-Host-Port', 'c:3', 'x-data-parallel-host-port', 'd:4'],
    ];
    expect(routingHints(raw)).toEqual({ prefill: ['a:1'], encode: ['b:2'], kvCacheSource: 'c:3', dataParallel: 'd:4' });
  });

  it.each([
    [['a'], ['a']],
    [['a,b'], ['a', 'b']],
    [[' a, b '], ['a', 'b']],
    [['a,,b'], ['a', '', 'b']],
    [[''], ['']],
    [
      ['', ''],
      ['', ''],
    ],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a,b', ' c '],
      ['a,b', 'c'],
    ],
  ])('takes the prefill lines %j for the candidates %j', (values, expected) => {
    expect(routingHints(lines('x-prefiller-host-port', ...values)).prefill).toEqual(expected);
  });

  it.each([
    [['a:1,b:2'], ['a:1', 'b:2']],
    [
      ['a:1', 'b:2'],
      ['a:1', 'b:2'],
    ],
    [[' a:1 ,, b:2,'], ['a:1', 'b:2']],
    [[''], []],
  ])('takes the encode lines %j for the workers %j, the empty ones left out', (values, expected) => {
    expect(routingHints(lines('x-encoder-hosts-ports', ...values)).encode).toEqual(expected);
  });

  it.each([
    [[' c:3 '], 'c:3'],
    [['a:1,b:2'], 'a:1,b:2'],
    [['c:3', 'd:4'], 'c:3'],
    [['  '], undefined],
  ])('takes of the KV source lines %j the first, never split: %j', (values, expected) => {
    expect(routingHints(lines('x-kv-cache-source-host-port', ...values)).kvCacheSource).toBe(expected);
  });
});
