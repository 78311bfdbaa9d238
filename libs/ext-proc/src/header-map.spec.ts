import { describe, expect, it } from '@jest/globals';
import { readHeaders } from './header-map.ts';

describe('readHeaders', () => {
  it('has names in lower case, and values from their bytes where those are given', () => {
    const { values } = readHeaders({ headers: [{ key: 'X-A', value: 'a', raw_value: Buffer.from('ä') }] });
    expect([...values]).toEqual([['x-a', 'ä']]);
  });

  it('has the last value of a name that comes twice, and says so', () => {
    const { values, repeated } = readHeaders({ headers: [pair('x-a', '1'), pair('x-a', '2')] });
    expect(values.get('x-a')).toBe('2');
    expect([...repeated]).toEqual(['x-a']);
  });

  it('has every line of Prefer, which is a list', () => {
    const { values } = readHeaders({ headers: [pair('Prefer', 'if-available'), pair('prefer', 'wait=1')] });
    expect(values.get('prefer')).toBe('if-available, wait=1');
  });

  it('names what is no text', () => {
    const { values, opaque } = readHeaders({ headers: [{ key: 'x-a', raw_value: Buffer.from([0xe9]) }] });
    expect(values.get('x-a')).toBe('é');
    expect([...opaque]).toEqual(['x-a']);
  });
});

function pair(key: string, value: string) {
  return { key, raw_value: Buffer.from(value) };
}
