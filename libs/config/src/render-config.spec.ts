import { describe, expect, it } from '@jest/globals';
import { configHash, renderEffective } from './render-config.ts';

describe('renderEffective', () => {
  it('is YAML without secrets', () => {
    const shared = ['a'];
    const tree = {
      server: { read_timeout: '30s', names: shared, more: shared },
      redis: { password: 'hunter22' },
      max_total_tokens: 0,
    };
    expect(renderEffective(tree)).toBe(
      [
        'server:',
        '  read_timeout: 30s',
        '  names:',
        '    - a',
        '  more:',
        '    - a',
        'redis:',
        '  password: "[REDACTED]"',
        'max_total_tokens: 0',
        '',
      ].join('\n'),
    );
  });

  it('does not fold long lines', () => {
    expect(renderEffective({ a: 'x '.repeat(100).trim() }).split('\n')).toHaveLength(2);
  });
});

describe('configHash', () => {
  const tree = { a: 1, b: { c: ['x', 'y'], d: 'e' }, password: 'hunter22' };

  it('is twelve hex digits', () => {
    expect(configHash(tree)).toMatch(/^[0-9a-f]{12}$/);
  });

  it('does not depend on the order of keys, or on secrets', () => {
    expect(configHash({ password: 'hunter23', b: { d: 'e', c: ['x', 'y'] }, a: 1 })).toBe(configHash(tree));
  });

  it.each([
    { ...tree, a: 2 },
    { ...tree, b: { c: ['y', 'x'], d: 'e' } },
    { ...tree, e: undefined, f: null },
  ])('differs where the configuration does: %j', (other) => {
    expect(configHash(other)).not.toBe(configHash(tree));
  });
});
