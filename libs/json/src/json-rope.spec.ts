import { describe, expect, it } from '@jest/globals';
import {
  RopeBuilder,
  buildObject,
  cutRope,
  entriesObject,
  joinRope,
  jsonString,
  packRope,
  rawJson,
  ropeLength,
} from './json-rope.ts';

const text = (parts: readonly Buffer[]): string => Buffer.concat(parts).toString();

describe('joinRope', () => {
  it('gives the one part of a rope itself', () => {
    const part = Buffer.from('{}');
    expect(joinRope([part])).toBe(part);
  });

  it('joins several parts, and none', () => {
    expect(joinRope([Buffer.from('{"a":'), Buffer.from('1'), Buffer.from('}')]).toString()).toBe('{"a":1}');
    expect(joinRope([]).length).toBe(0);
  });
});

describe('ropeLength', () => {
  it('counts bytes', () => {
    expect(ropeLength([Buffer.from('é'), Buffer.from('ab'), Buffer.alloc(0)])).toBe(4);
    expect(ropeLength([])).toBe(0);
  });
});

describe('jsonString', () => {
  it.each([
    ['a"b\\', '"a\\"b\\\\"'],
    ['line\n\u0001', '"line\\n\\u0001"'],
    ['\ud83d', '"\\ud83d"'],
    ['😀', '"😀"'],
  ])('writes %j as %s', (value, expected) => {
    expect(jsonString(value)).toBe(expected);
  });
});

describe('RopeBuilder', () => {
  it('makes one buffer of neighbouring text and carries bytes as they are', () => {
    const [carried, first, second] = [Buffer.from('[1]'), Buffer.from('2'), Buffer.from('3')];
    const rope = new RopeBuilder()
      .text('{"a"')
      .text(':')
      .bytes(carried)
      .text(',')
      .bytes([first, second])
      .text('}')
      .done();
    expect(rope.map(String)).toEqual(['{"a":', '[1]', ',', '2', '3', '}']);
    expect([rope[1], rope[3], rope[4]]).toEqual([carried, first, second]);
    expect(rope[1]).toBe(carried);
  });

  it('is empty at first', () => {
    expect(new RopeBuilder().done()).toEqual([]);
  });
});

describe('entriesObject', () => {
  it('keeps the order of keys that look like numbers, and keys that a record has of itself', () => {
    const entries = [
      ['b', '1'],
      ['0', '2'],
      ['__proto__', '3'],
    ] as const;
    expect(text(entriesObject(entries))).toBe('{"b":1,"0":2,"__proto__":3}');
  });
});

describe('buildObject', () => {
  it('writes members in their order, of text, of bytes and of ropes', () => {
    const rope = buildObject({ model: '"m"', ids: Buffer.from('[1,2]'), params: rawJson('{"a":1}') });
    expect(text(rope)).toBe('{"model":"m","ids":[1,2],"params":{"a":1}}');
  });

  it('leaves out members without a value', () => {
    expect(text(buildObject({ a: undefined, b: '1', c: undefined }))).toBe('{"b":1}');
    expect(text(buildObject({ a: undefined }))).toBe('{}');
    expect(text(buildObject({}))).toBe('{}');
  });

  it('escapes keys', () => {
    expect(text(buildObject({ 'a"\n': '1' }))).toBe('{"a\\"\\n":1}');
  });

  it('carries bytes without a copy', () => {
    const ids = Buffer.alloc(1000, '1');
    expect(buildObject({ ids }).filter((part) => part.buffer === ids.buffer)).toEqual([ids]);
  });
});

describe('packRope', () => {
  const parts = (...lengths: number[]): Buffer[] => lengths.map((length, index) => Buffer.alloc(length, 97 + index));

  it.each([
    { name: 'small ones together', lengths: [1, 2, 3], packed: [6] },
    { name: 'as many as there is room for', lengths: [4, 5, 6, 4], packed: [9, 10] },
    { name: 'a large one alone, those beside it together', lengths: [1, 2, 100, 3, 4], packed: [3, 100, 7] },
    { name: 'large ones as they are', lengths: [11, 12], packed: [11, 12] },
    { name: 'nothing', lengths: [], packed: [] },
    { name: 'empty parts', lengths: [0, 3, 0], packed: [3] },
  ])('joins $name', ({ lengths, packed }) => {
    const rope = parts(...lengths);
    const result = packRope(rope, 10);
    expect(result.map((part) => part.length)).toEqual(packed);
    expect(Buffer.concat(result).equals(Buffer.concat(rope))).toBe(true);
  });

  it('copies nothing that stands alone', () => {
    const [small, large] = [Buffer.alloc(3), Buffer.alloc(100)];
    expect(packRope([large, small], 10)).toEqual([large, small]);
    expect(packRope([large, small], 10)[0]).toBe(large);
    expect(packRope([small], 10)[0]).toBe(small);
  });
});

describe('cutRope', () => {
  it.each([
    { lengths: [3, 10], cut: [3, 10] },
    { lengths: [3, 11, 2], cut: [3, 10, 1, 2] },
    { lengths: [30], cut: [10, 10, 10] },
    { lengths: [], cut: [] },
  ])('gives $cut of $lengths for 10, without a copy', ({ lengths, cut }) => {
    const rope = lengths.map((length, index) => Buffer.alloc(length, 97 + index));
    const result = cutRope(rope, 10);
    expect(result.map((part) => part.length)).toEqual(cut);
    expect(Buffer.concat(result).equals(Buffer.concat(rope))).toBe(true);
    expect(result.every((part) => rope.some(({ buffer }) => buffer === part.buffer))).toBe(true);
  });
});
