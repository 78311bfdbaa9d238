import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatDuration, parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['0s', 0],
    ['300ms', 300],
    ['30s', 30_000],
    ['90s', 90_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['1us', 0.001],
    ['1µs', 0.001],
    ['1μs', 0.001],
    ['1ns', 0.000001],
    ['.5s', 500],
    ['5.s', 5_000],
    ['+5s', 5_000],
    ['1s1s', 2_000],
    ['1.005s', 1_005],
    ['0.1ns', 0],
  ])('reads %s as %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  it.each([
    '',
    '30',
    '+',
    '-5s',
    '-0s',
    's',
    '.s',
    '1d',
    '1S',
    '1 s',
    ' 1s',
    '1s ',
    '1m-30s',
    '1e3s',
    '0x1s',
    '1,5s',
    '2562048h',
    '9'.repeat(1000),
  ])('does not read %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

describe('formatDuration', () => {
  it.each([
    [0, '0s'],
    [0.000001, '1ns'],
    [0.0015, '1.5us'],
    [1.5, '1.5ms'],
    [300, '300ms'],
    [1_500, '1.5s'],
    [60_000, '1m'],
    [90_000, '1m30s'],
    [3_600_000, '1h'],
    [3_601_000, '1h1s'],
  ])('writes %d ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text);
  });

  it('writes what parseDuration reads back, to the nanosecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), fc.integer({ min: 0, max: 999_999 }), (whole, nanoseconds) => {
        const milliseconds = whole + nanoseconds / 1e6;
        const back = parseDuration(formatDuration(milliseconds)) ?? NaN;
        expect(Math.abs(back - milliseconds)).toBeLessThanOrEqual(Math.max(1e-6, milliseconds * Number.EPSILON));
      }),
    );
  });

  it('writes whole milliseconds without loss', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9e12 }), (whole) => {
        expect(parseDuration(formatDuration(whole))).toBe(whole);
      }),
    );
  });
});
