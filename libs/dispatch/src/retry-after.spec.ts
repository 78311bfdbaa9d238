import { describe, expect, it } from '@jest/globals';
import { retryAfter } from './retry-after.ts';

const NOW = Date.UTC(2030, 0, 1, 12);

describe('retryAfter', () => {
  it.each([
    ['0', 0],
    ['10', 10_000],
    [' 7 ', 7_000],
    ['Tue, 01 Jan 2030 12:00:30 GMT', 30_000],
    ['Tuesday, 01-Jan-30 12:00:30 GMT', 30_000],
    ['Tue, 01 Jan 2030 11:00:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['1e3', undefined],
    ['99999999999999999999', undefined],
    ['soon', undefined],
    ['Tue, never GMT', undefined],
    ['2030', 2_030_000],
  ])('of %j is %j ms', (value, milliseconds) => {
    expect(retryAfter(value, NOW)).toBe(milliseconds);
  });
});
