import { describe, expect, it } from '@jest/globals';
import { IF_AVAILABLE, RESERVE_ENDPOINT, prefers, withoutPreference } from './prefer.ts';

describe('prefers', () => {
  describe.each([IF_AVAILABLE, RESERVE_ENDPOINT])('%s', (name) => {
    it.each([
      name,
      name.toUpperCase(),
      `  ${name}  `,
      `return=minimal, ${name}`,
      `${name}, return=minimal`,
      `${name};param=v`,
      `respond-async, ${name};x=1`,
      `respond-async,${name} ; x=1`,
      `x="a \\" b", ${name}`,
    ])('is so for %j', (header) => {
      expect(prefers(header, name)).toBe(true);
    });

    it.each([
      undefined,
      '',
      ',',
      ';',
      'return=minimal',
      `${name}-now`,
      `${name}-but-different`,
      `x="${name}"`,
      `x="a, ${name}, b"`,
      `x="a\\", ${name}, b"`,
      `x="never closed, ${name}`,
      `respond-async;${name}`,
    ])('is not so for %j', (header) => {
      expect(prefers(header, name)).toBe(false);
    });
  });

  it('goes once through a header whose quotes are never closed', () => {
    const header = `${'"\\'.repeat(500_000)}, x`;
    expect(prefers(header, RESERVE_ENDPOINT)).toBe(false);
  });
});

describe('withoutPreference', () => {
  it.each([
    ['reserve-endpoint', ''],
    ['Reserve-Endpoint;x=1', ''],
    ['if-available, reserve-endpoint', 'if-available'],
    ['reserve-endpoint , x="a, reserve-endpoint, b",reserve-endpoint', 'x="a, reserve-endpoint, b"'],
    ['return=minimal,, wait=10', 'return=minimal, wait=10'],
  ])('makes %j %j', (header, left) => {
    expect(withoutPreference(header, RESERVE_ENDPOINT)).toBe(left);
  });
});
