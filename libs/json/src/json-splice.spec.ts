import { describe, expect, it } from '@jest/globals';
import { appendSpliced, coverSplices, mergeSplices } from './json-splice.ts';
import type { Splice } from './json-splice.ts';

const splice = (start: number, end: number, text = ''): Splice => ({
  start,
  end,
  insert: text === '' ? [] : [Buffer.from(text)],
});
const source = Buffer.from('0123456789');

function spliced(splices: readonly Splice[], start = 0, end = source.length): string {
  const parts: Buffer[] = [];
  appendSpliced(parts, source, start, end, splices);
  return parts.map(String).join('|');
}

describe('mergeSplices', () => {
  it('orders by place', () => {
    expect(mergeSplices([splice(5, 6, 'b')], [splice(8, 9, 'c'), splice(1, 2, 'a')])).toEqual([
      splice(1, 2, 'a'),
      splice(5, 6, 'b'),
      splice(8, 9, 'c'),
    ]);
  });

  it('keeps insertions at one place in the order they were made, before what replaces the bytes there', () => {
    const merged = mergeSplices([splice(3, 4, 'R'), splice(3, 3, 'a')], [splice(3, 3, 'b')]);
    expect(spliced(merged)).toBe('012|a|b|R|456789');
  });

  it('leaves its arguments alone', () => {
    const second = [splice(8, 9), splice(1, 2)];
    mergeSplices([], second);
    expect(second).toEqual([splice(8, 9), splice(1, 2)]);
  });
});

describe('appendSpliced', () => {
  it.each<[string, Splice[], string]>([
    ['nothing', [], '0123456789'],
    ['a replacement', [splice(2, 4, 'x')], '01|x|456789'],
    ['an insertion', [splice(2, 2, 'x')], '01|x|23456789'],
    ['a removal', [splice(2, 4)], '01|456789'],
    ['changes at both ends', [splice(0, 1, 'x'), splice(9, 10, 'y')], 'x|12345678|y'],
    ['insertions at both ends', [splice(0, 0, 'x'), splice(10, 10, 'y')], 'x|0123456789|y'],
    ['neighbours', [splice(2, 4, 'x'), splice(4, 6, 'y')], '01|x|y|6789'],
    ['everything', [splice(0, 10, 'x')], 'x'],
  ])('makes %s', (_, splices, expected) => {
    expect(spliced(splices)).toBe(expected);
  });

  it('takes only what lies in its range', () => {
    const splices = [splice(0, 1, 'x'), splice(4, 5, 'y'), splice(8, 9, 'z')];
    expect(spliced(splices, 3, 7)).toBe('3|y|56');
  });

  it('shares untouched stretches with the source', () => {
    const memory = Buffer.alloc(10, 'a');
    const parts: Buffer[] = [];
    appendSpliced(parts, memory, 0, 10, [splice(4, 5, 'x')]);
    expect(parts.filter((part) => part.buffer === memory.buffer).map(({ byteOffset }) => byteOffset)).toEqual([0, 5]);
  });
});

describe('coverSplices', () => {
  it('drops those that lie within one that covers them', () => {
    const outer = [splice(2, 5, 'A'), splice(7, 9)];
    const inner = [splice(0, 1), splice(2, 3), splice(3, 3), splice(4, 5), splice(6, 7), splice(7, 9), splice(9, 10)];
    expect(coverSplices(outer, inner)).toEqual([
      splice(0, 1),
      splice(2, 5, 'A'),
      splice(6, 7),
      splice(7, 9),
      splice(9, 10),
    ]);
  });

  it('keeps what ends where an insertion stands', () => {
    expect(coverSplices([splice(5, 5, 'A')], [splice(3, 5, 'b')])).toEqual([splice(3, 5, 'b'), splice(5, 5, 'A')]);
  });

  it('is the other list where one is empty', () => {
    const list = [splice(1, 2)];
    expect(coverSplices([], list)).toBe(list);
    expect(coverSplices(list, [])).toBe(list);
  });
});
