import { describe, expect, it } from '@jest/globals';
import { prefersIfAvailable } from './prefer.ts';

describe('prefersIfAvailable', () => {
  it.each([
    'if-available',
    'If-Available',
    'IF-AVAILABLE',
    '  if-available  ',
    'return=minimal, if-available',
    'if-available, return=minimal',
    'if-available;param=v',
    'respond-async, if-available;x=1',
    'respond-async,if-available ; x=1',
  ])('is so for %j', (header) => {
    expect(prefersIfAvailable(header)).toBe(true);
  });

  it.each([
    undefined,
    '',
    ',',
    ';',
    'return=minimal',
    'if-available-now',
    'if-available-but-different',
    'x="if-available"',
    'respond-async;if-available',
  ])('is not so for %j', (header) => {
    expect(prefersIfAvailable(header)).toBe(false);
  });
});
