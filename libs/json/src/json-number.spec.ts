import { describe, expect, it } from '@jest/globals';
import { numberEnd } from './json-number.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

describe('numberEnd', () => {
  it.each(['0', '-0', '7', '-10', '1.5', '0.0', '1e5', '1E+5', '1e-05', '-1.25e+0', '165598928036513123123', '1e400'])(
    'finds the end of %s, whatever follows',
    (number) => {
      for (const tail of ['', ',', ']', ' ', '\n', 'x', '-', '+1']) {
        expect(numberEnd(Buffer.from(`:${number}${tail}`), 1)).toBe(number.length + 1);
      }
    },
  );

  it.each(['', '-', '+1', '.5', '1.', '1.e5', '1e', '1e+', '00', '01', '-01', '-x', 'x'])('refuses %j', (text) => {
    expect(() => numberEnd(Buffer.from(text), 0)).toThrow(JsonSyntaxError);
  });

  it.each([
    ['before the point', (digits: string) => digits],
    ['behind a minus', (digits: string) => `-${digits}`],
    ['behind the point', (digits: string) => `0.${digits}`],
    ['in the exponent', (digits: string) => `1e-${digits}`],
  ])('accepts 100,000 digits in a row %s and refuses one more', (_, spell) => {
    const longest = spell('7'.repeat(100_000));
    expect(numberEnd(Buffer.from(longest), 0)).toBe(longest.length);
    expect(() => numberEnd(Buffer.from(`${longest}7`), 0)).toThrow(JsonSyntaxError);
  });
});
