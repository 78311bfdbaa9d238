import { describe, expect, it } from '@jest/globals';
import { JsonObject } from './json-object.ts';
import { rawJson } from './json-rope.ts';
import type { JsonValue } from './json-value.ts';
import type { Splice } from './json-splice.ts';

const object = (text: string): JsonObject => JsonObject.of(Buffer.from(text));
const text = (of: JsonObject): string => Buffer.concat(of.toRope()).toString();
const set = (of: JsonObject, key: string, value: string): JsonObject => of.set(key, rawJson(value));

describe('JsonObject', () => {
  it.each([
    '{}',
    ' \n{ } ',
    '{"seed":9007199254740993,"a":1.0,"b":1E5,"c":-0,"d":1e400,"e":0.123000000000000005123}',
    '{ "b" : 1 ,\n\t"a" : { "z" : 1 , "y" : 2 , "z" : 3 } }',
    '{"a":1,"a":2,"\\u0061":3}',
    '{"content":"x \\ud83d y","__proto__":{"max_tokens":1},"constructor":[]}',
  ])('sends %j as it came', (written) => {
    expect(text(object(written))).toBe(written.trimEnd());
  });

  describe('set', () => {
    it.each([
      ['{"a":1,"b":2,"c":3}', 'b', '{"a":1,"b":NEW,"c":3}'],
      ['{ "a" : 1 , "b" : [ 2 ] }', 'b', '{ "a" : 1 , "b" : NEW }'],
      ['{"a":1}', 'a', '{"a":NEW}'],
      ['{"a":1}', 'b', '{"a":1,"b":NEW}'],
      ['{ "a" : 1 }', 'b', '{ "a" : 1,"b":NEW }'],
      ['{}', 'b', '{"b":NEW}'],
      [' { \n} ', 'b', ' {"b":NEW \n}'],
      ['{"a":1,"b":2,"a":3,"c":4}', 'a', '{"b":2,"a":NEW,"c":4}'],
      ['{"b":2,"a":1,"a":3}', 'a', '{"b":2,"a":NEW}'],
      ['{ "a":1, "\\u0061":2, "a":3 }', 'a', '{ "a":NEW }'],
      ['{"mod\\u0065l":1,"x":2}', 'model', '{"mod\\u0065l":NEW,"x":2}'],
      ['{"__proto__":1}', '__proto__', '{"__proto__":NEW}'],
      ['{"a":1}', '__proto__', '{"a":1,"__proto__":NEW}'],
      ['{"a":1}', 'q"\n', '{"a":1,"q\\"\\n":NEW}'],
    ])('%s with %j replaced or added is %s', (written, key, expected) => {
      expect(text(set(object(written), key, 'NEW'))).toBe(expected);
    });

    it('adds keys in the order they were set first', () => {
      const changed = set(set(set(object('{"a":1}'), 'z', '1'), 'y', '2'), 'z', '3');
      expect(text(changed)).toBe('{"a":1,"z":3,"y":2}');
    });

    it('puts a removed key back where it stood', () => {
      expect(text(set(object('{"a":1,"b":2,"c":3}').remove('b'), 'b', '4'))).toBe('{"a":1,"b":4,"c":3}');
    });

    it('leaves the object it was called on alone', () => {
      const before = object('{"a":1}');
      set(before, 'a', '2').remove('a');
      expect(text(before)).toBe('{"a":1}');
      expect(before.get('a')?.number).toBe(1);
    });

    it('takes a value of several buffers', () => {
      const value = ['[', '1', ']'].map((part) => Buffer.from(part));
      const changed = object('{"a":0}').set('a', value).set('b', value);
      expect(text(changed)).toBe('{"a":[1],"b":[1]}');
      expect(changed.get('b')?.bytes.toString()).toBe('[1]');
    });

    it('takes a value of more buffers than a call takes arguments', () => {
      const value = Array.from({ length: 300_000 }, () => Buffer.from('1'));
      expect(object('{"a":0}').set('a', value).set('b', value).toRope()).toHaveLength(600_003);
    });
  });

  describe('remove', () => {
    const written = '{ "a" : 1 , "b" : 2 , "c" : 3 }';

    it.each([
      [['a'], '{ "b" : 2 , "c" : 3 }'],
      [['b'], '{ "a" : 1 , "c" : 3 }'],
      [['c'], '{ "a" : 1 , "b" : 2 }'],
      [['a', 'b'], '{ "c" : 3 }'],
      [['a', 'c'], '{ "b" : 2 }'],
      [['b', 'c'], '{ "a" : 1 }'],
      [['c', 'b', 'a'], '{  }'],
    ])('of %j leaves the others as they are', (keys, expected) => {
      expect(text(object(written).remove(...keys))).toBe(expected);
    });

    it('takes every occurrence of a key', () => {
      expect(text(object('{"a":1,"b":2,"\\u0061":3,"c":4,"a":5}').remove('a'))).toBe('{"b":2,"c":4}');
      expect(text(object('{"a":1,"a":2}').remove('a'))).toBe('{}');
    });

    it('gives the same object when no key is there', () => {
      const whole = object(written);
      expect(whole.remove('x', 'toString', '__proto__')).toBe(whole);
    });

    it('takes back a key that was added', () => {
      expect(text(set(object('{"a":1}'), 'b', '2').remove('b'))).toBe('{"a":1}');
    });

    it('leaves room for keys that are added', () => {
      expect(text(set(object(written).remove('a', 'b', 'c'), 'd', '4'))).toBe('{ "d":4 }');
      expect(text(set(object(written).remove('c'), 'd', '4'))).toBe('{ "a" : 1 , "b" : 2,"d":4 }');
      expect(text(set(set(object(written).remove('a'), 'b', '4'), 'd', '5'))).toBe('{ "b" : 4 , "c" : 3,"d":5 }');
    });
  });

  it('sets and removes several keys at once', () => {
    const changed = object('{"a":1,"b":2}').setAll({ a: undefined, b: rawJson('3'), c: rawJson('4'), d: undefined });
    expect(text(changed)).toBe('{"b":3,"c":4}');
  });

  describe('reading', () => {
    const changed = set(object('{"a":1,"b":2,"a":3,"__proto__":4}').remove('b'), 'c', ' "x"');

    it('lists keys once, in their order, with the changes', () => {
      expect(changed.keys()).toEqual(['a', '__proto__', 'c']);
      expect(set(changed, 'b', '1').keys()).toEqual(['a', 'b', '__proto__', 'c']);
    });

    it.each([
      ['a', '3'],
      ['b', undefined],
      ['c', '"x"'],
      ['__proto__', '4'],
      ['constructor', undefined],
    ])('has for %s the value %s', (key, expected) => {
      expect(changed.get(key)?.bytes.toString()).toBe(expected);
      expect(changed.valueBytes(key)?.map(String).join('').trim()).toBe(expected);
      expect(changed.has(key)).toBe(expected !== undefined);
    });

    it('uses an index it is given', () => {
      const source = Buffer.from('{"a":1,"b":2} ');
      const one = JsonObject.of(source, [{ key: 'b', keyStart: 7, valueStart: 11, valueEnd: 12 }]);
      expect(one.keys()).toEqual(['b']);
      expect(text(one)).toBe('{"a":1,"b":2} ');
    });
  });

  describe('splice', () => {
    const written = '{"n":0,"m":[ {"u":"old"}, {"u":"other"} ],"z":1}';
    const whole = object(written);
    const place = (value: JsonValue | undefined, insert: string): Splice => ({
      start: value?.start ?? -1,
      end: value?.end ?? -1,
      insert: rawJson(insert),
    });
    const items = [...(whole.get('m')?.items() ?? [])];
    const [first, second] = items.map((item) => item.member('u'));

    it('changes a place inside a value and nothing around it', () => {
      expect(text(whole.splice([place(first, '"new"')]))).toBe(written.replace('"old"', '"new"'));
    });

    it('takes several, at once or one after the other, in any order', () => {
      const expected = written.replace('"old"', '"A"').replace('"other"', '"B"');
      expect(text(whole.splice([place(second, '"B"'), place(first, '"A"')]))).toBe(expected);
      expect(text(whole.splice([place(second, '"B"')]).splice([place(first, '"A"')]))).toBe(expected);
    });

    it('stands beside set and remove', () => {
      const changed = set(whole.splice([place(first, '"new"')]).remove('n'), 'z', '2');
      expect(text(set(changed, 'k', '3'))).toBe('{"m":[ {"u":"new"}, {"u":"other"} ],"z":2,"k":3}');
    });

    it('goes with the value that is replaced or removed', () => {
      const changed = whole.splice([place(first, '"new"')]);
      expect(text(set(changed, 'm', '[]'))).toBe('{"n":0,"m":[],"z":1}');
      expect(text(changed.remove('m'))).toBe('{"n":0,"z":1}');
      expect(text(set(changed.remove('m'), 'k', '3'))).toBe('{"n":0,"z":1,"k":3}');
    });

    it('is seen in the bytes of values, not in the values', () => {
      const changed = whole.splice([place(first, '"new"')]);
      const bytes = (rope: readonly Buffer[] | undefined): string | undefined => rope?.map(String).join('');
      expect(bytes(changed.valueBytes('m'))).toBe('[ {"u":"new"}, {"u":"other"} ]');
      expect(items.map((item) => bytes(changed.bytesOf(item)))).toEqual(['{"u":"new"}', '{"u":"other"}']);
      expect(changed.get('m')?.bytes.toString()).toBe('[ {"u":"old"}, {"u":"other"} ]');
    });

    it('gives the same object for no splice', () => {
      expect(whole.splice([])).toBe(whole);
    });

    it('gives the bytes of a value that was set', () => {
      const changed = set(whole, 'm', ' [7] ');
      const value = changed.get('m');
      expect(value && changed.bytesOf(value).map(String)).toEqual(['[7]']);
    });
  });

  describe('memory', () => {
    /** Own memory, so that sharing is not the work of Node's buffer pool. */
    const source = Buffer.from(new Uint8Array(Buffer.from('{"a":"aaaa","b":"bbbb","c":"cccc"}')).buffer);
    const shared = (of: JsonObject): string[] =>
      of
        .toRope()
        .filter((part) => part.buffer === source.buffer)
        .map(String);

    it('is shared as a whole without changes', () => {
      expect(shared(JsonObject.of(source))).toEqual([source.toString()]);
    });

    it('is shared around a change', () => {
      const whole = JsonObject.of(source);
      expect(shared(set(whole, 'b', '1'))).toEqual(['{"a":"aaaa","b":', ',"c":"cccc"}']);
      expect(shared(whole.remove('b'))).toEqual(['{"a":"aaaa"', ',"c":"cccc"}']);
      expect(shared(set(whole, 'd', '1'))).toEqual(['{"a":"aaaa","b":"bbbb","c":"cccc"', '}']);
      expect(shared(whole.splice([{ start: 6, end: 8, insert: rawJson('xx') }]))).toEqual([
        '{"a":"',
        'aa","b":"bbbb","c":"cccc"}',
      ]);
    });

    it('of a value that is set is carried, not copied', () => {
      const value = Buffer.alloc(100, '1');
      expect(
        JsonObject.of(source)
          .set('b', [value])
          .set('d', [value])
          .toRope()
          .filter((part) => part === value),
      ).toHaveLength(2);
    });
  });
});
