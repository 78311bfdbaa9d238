import { describe, expect, it } from '@jest/globals';
import { stringEnd } from './json-scan.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { knownEnd } from './long-strings.ts';

const LONG = 100_000;

describe('the ends of long strings', () => {
  it('are known once they were crossed, in every buffer that shares the bytes', () => {
    const source = Buffer.from(`{"a":"${'x'.repeat(LONG)}"}`);
    expect(knownEnd(source, 5)).toBeUndefined();
    expect(stringEnd(source, 5)).toBe(LONG + 7);
    expect(knownEnd(source, 5)).toBe(LONG + 7);
    expect(knownEnd(source.subarray(2), 3)).toBe(LONG + 5);
    expect(stringEnd(source.subarray(2), 3)).toBe(LONG + 5);
  });

  it('are not believed of a buffer that stops within the string', () => {
    const source = Buffer.from(`"${'x'.repeat(LONG)}"`);
    stringEnd(source, 0);
    expect(() => stringEnd(source.subarray(0, LONG), 0)).toThrow(new JsonSyntaxError('syntax', 0));
  });

  it('are not kept for short strings, nor for bytes of another memory', () => {
    const source = Buffer.from(`"${'x'.repeat(1_000)}" ${' '.repeat(LONG)}`);
    stringEnd(source, 0);
    expect(knownEnd(source, 0)).toBeUndefined();
    expect(knownEnd(Buffer.from(`"${'x'.repeat(LONG)}"`), 0)).toBeUndefined();
  });
});
