import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SPECIAL, pieces, tokenId, tokenize } from './tokenizer.ts';

describe('tokenizer', () => {
  it.each([
    { text: '', expected: [] },
    { text: 'Hello world', expected: ['Hello', ' world'] },
    { text: 'disaggregation', expected: ['disagg', 'regati', 'on'] },
    { text: 'a  b', expected: ['a', '  ', 'b'] },
    { text: 'x=12345678;', expected: ['x', '=', '123456', '78', ';'] },
    { text: 'héllo, 世界', expected: ['héllo', ',', ' 世界'] },
  ])('cuts "$text" into $expected', ({ text, expected }) => {
    expect(pieces(text)).toEqual(expected);
  });

  it('loses no character of any text, lone surrogates included', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => pieces(text).join('') === text));
    expect(pieces('x \ud83d y').join('')).toBe('x \ud83d y');
  });

  it('gives a piece the same id every time, below the special ids', () => {
    expect(tokenize('Hello world')).toEqual([tokenId('Hello'), tokenId(' world')]);
    expect(tokenId('Hello')).toBe(10851);
    fc.assert(
      fc.property(fc.string(), (text) =>
        tokenize(text).every((id) => id >= 1000 && id < Math.min(...Object.values(SPECIAL))),
      ),
    );
  });
});
