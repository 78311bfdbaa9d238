import { describe, expect, it } from '@jest/globals';
import { buildObject, joinRope, jsonString, rawJson, RopeBuilder, ropeLength } from './json-rope.ts';

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
