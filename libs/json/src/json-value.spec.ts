import { describe, expect, it } from '@jest/globals';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { JsonValue } from './json-value.ts';

const value = (text: string): JsonValue => JsonValue.read(Buffer.from(text));
const texts = (values: Iterable<JsonValue>): string[] => [...values].map(({ bytes }) => bytes.toString());

describe('JsonValue', () => {
  it.each([
    ['{}', 'object'],
    ['[]', 'array'],
    ['""', 'string'],
    ['0', 'number'],
    ['-1', 'number'],
    ['true', 'boolean'],
    ['false', 'boolean'],
    ['null', 'null'],
  ])('%s is of kind %s', (text, kind) => {
    expect(value(` ${text} `).kind).toBe(kind);
  });

  it('shares its bytes with the source, without the white space around it', () => {
    const source = Buffer.alloc(20, ' ');
    source.write('[1, 2]', 5);
    const { bytes } = JsonValue.read(source, 2);
    expect(bytes.toString()).toBe('[1, 2]');
    expect(bytes.buffer).toBe(source.buffer);
    expect(bytes.byteOffset).toBe(source.byteOffset + 5);
  });

  it.each([
    ['""', ''],
    ['"a"', 'a'],
    ['"é😀"', 'é😀'],
    ['"\\u00e9\\n\\"\\\\"', 'é\n"\\'],
    ['"\\ud83d"', '\ud83d'],
    ['1', undefined],
    ['null', undefined],
    ['["a"]', undefined],
  ])('%s as a string is %j', (text, expected) => {
    expect(value(text).string).toBe(expected);
  });

  it.each([
    ['12', 12],
    ['-1.5e1', -15],
    ['"1"', undefined],
    ['null', undefined],
  ])('%s as a number is %j', (text, expected) => {
    expect(value(text).number).toBe(expected);
  });

  it('knows true and null from everything else', () => {
    const all = ['true', 'false', 'null', '1', '"true"', '"null"', '[]', '{}'];
    expect(all.filter((text) => value(text).isTrue)).toEqual(['true']);
    expect(all.filter((text) => value(text).isNull)).toEqual(['null']);
  });

  it('gives the last of repeated members', () => {
    const object = value('{"a":1,"b":2,"\\u0061":3}');
    expect(object.member('a')?.number).toBe(3);
    expect(object.member('b')?.number).toBe(2);
    expect(object.member('c')).toBeUndefined();
  });

  it('reads nested members at their own place', () => {
    const nested = value('{"a": {"b": [ {"c" : "x"} ]}}').member('a')?.member('b');
    expect(texts(nested?.items() ?? [])).toEqual(['{"c" : "x"}']);
    const [first] = nested?.items() ?? [];
    expect(first?.member('c')?.string).toBe('x');
  });

  it('reads a member that was listed', () => {
    const object = value('{"a":1,"b":[2]}');
    expect(texts(object.members().map((member) => object.at(member)))).toEqual(['1', '[2]']);
  });

  it('has no inherited members', () => {
    expect(value('{}').member('constructor')).toBeUndefined();
    expect(value('{"__proto__":{"a":1}}').member('a')).toBeUndefined();
    expect(value('{"__proto__":{"a":1}}').member('__proto__')?.member('a')?.number).toBe(1);
  });

  it.each([
    ['[]', []],
    ['[ ]', []],
    ['[1]', ['1']],
    ['[ 1 , "a,]" , [2,[3]] , {"b":[4]} ,null]', ['1', '"a,]"', '[2,[3]]', '{"b":[4]}', 'null']],
  ])('lists the items of %s', (text, expected) => {
    expect(texts(value(text).items())).toEqual(expected);
  });

  it('has neither members nor items where it is of another kind', () => {
    expect(value('[1]').members()).toEqual([]);
    expect(texts(value('{"a":1}').items())).toEqual([]);
    expect(value('"text"').member('length')).toBeUndefined();
  });

  it.each([
    ['a kind', '?', (broken: JsonValue) => broken.kind],
    ['items', '[1,]', (broken: JsonValue) => texts(broken.items())],
    ['items', '[1 2]', (broken: JsonValue) => texts(broken.items())],
    ['members', '{"a":1,}', (broken: JsonValue) => broken.members()],
    ['members', '{"a" 1}', (broken: JsonValue) => broken.member('a')],
    ['a string', '"secret\\x"', (broken: JsonValue) => broken.string],
    ['a key', '{"secret\\x":1}', (broken: JsonValue) => broken.members()],
  ])('refuses %s of the broken %s with a JsonSyntaxError that holds no content', (_, text, read) => {
    expect(() => read(value(text))).toThrow(JsonSyntaxError);
    expect(() => read(value(text))).not.toThrow(/secret|\?/);
  });

  it('decodes a short string without a look at what stands behind it', () => {
    const shortStrings = (tail: number): JsonValue[] =>
      [...value(`[${'"text",'.repeat(1000)}"${'x'.repeat(tail)}"]`).items()].slice(0, 1000);
    const milliseconds = (strings: JsonValue[]): number => {
      const start = performance.now();
      for (const { string } of strings) if (string !== 'text') throw new Error('misread');
      return performance.now() - start;
    };
    const [few, many] = [shortStrings(100), shortStrings(20_000_000)];
    milliseconds(few);
    expect(milliseconds(many)).toBeLessThan(8 * milliseconds(few) + 50);
  });
});
