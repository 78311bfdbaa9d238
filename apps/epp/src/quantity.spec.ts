import { describe, expect, it } from '@jest/globals';
import { bytesOf } from './quantity.ts';

describe('bytesOf', () => {
  it.each([
    ['1024', 1024],
    ['10MiB', 10 * 2 ** 20],
    ['10Mi', 10 * 2 ** 20],
    ['10MB', 10_000_000],
    ['1.5k', 1500],
    ['2GiB', undefined],
    ['0', undefined],
    ['-1', undefined],
    ['10 apples', undefined],
    ['', undefined],
  ])('reads %j as %s', (text, bytes) => {
    expect(bytesOf(text)).toBe(bytes);
  });
});
