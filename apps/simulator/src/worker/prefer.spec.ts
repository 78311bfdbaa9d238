import { describe, expect, it } from '@jest/globals';
import { prefers } from './prefer.ts';

describe('prefers', () => {
  it.each([
    { header: 'if-available', expected: true },
    { header: 'IF-AVAILABLE', expected: true },
    { header: 'respond-async, if-available;x=1', expected: true },
    { header: 'respond-async , if-available ; x=1', expected: true },
    { header: ['respond-async', 'If-Available'], expected: true },
    { header: 'if-available=yes', expected: true },
    { header: 'note="a, b", if-available', expected: true },
    { header: 'if-available-now', expected: false },
    { header: 'x="if-available"', expected: false },
    { header: 'x="a, if-available"', expected: false },
    { header: 'x="a\\", if-available"', expected: false },
    { header: 'x; if-available', expected: false },
    { header: '', expected: false },
    { header: undefined, expected: false },
  ])('reads $header as $expected', ({ header, expected }) => {
    expect(prefers(header, 'if-available')).toBe(expected);
  });
});
