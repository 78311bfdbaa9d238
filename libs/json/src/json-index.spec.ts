import { describe, expect, it } from '@jest/globals';
import { indexMembers } from './json-index.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

function listed(text: string): [string, string][] {
  const source = Buffer.from(text);
  return indexMembers(source).members.map(({ key, valueStart, valueEnd }) => [
    key,
    source.toString('utf8', valueStart, valueEnd),
  ]);
}

describe('indexMembers', () => {
  it('lists keys and values in their order, repeated ones included', () => {
    expect(listed('{"b":1,"a":"x","b":[2,{"b":3}],"":null}')).toEqual([
      ['b', '1'],
      ['a', '"x"'],
      ['b', '[2,{"b":3}]'],
      ['', 'null'],
    ]);
  });

  it('leaves white space out of values', () => {
    expect(listed(' \n{ "a" :\t1 ,\r\n"b": [ ] } ')).toEqual([
      ['a', '1'],
      ['b', '[ ]'],
    ]);
  });

  it.each([
    ['mod\\u0065l', 'model'],
    ['\\u00e9', 'é'],
    ['é', 'é'],
    ['\\ud83d\\ude00', '😀'],
    ['\\ud83d', '\ud83d'],
    ['a\\"b\\\\', 'a"b\\'],
    ['__proto__', '__proto__'],
    ['k'.repeat(200), 'k'.repeat(200)],
  ])('reads the key %s as %j', (written, key) => {
    expect(listed(`{"x":1,"${written}":2}`)).toEqual([
      ['x', '1'],
      [key, '2'],
    ]);
  });

  it('tells the place of a key and the end of the object', () => {
    const { members, end } = indexMembers(Buffer.from('  { "a": 1 } tail'));
    expect(members).toEqual([{ key: 'a', keyStart: 4, valueStart: 9, valueEnd: 10 }]);
    expect(end).toBe(12);
  });

  it('begins where it is told', () => {
    const { members, end } = indexMembers(Buffer.from('{"o": {"in":1}}'), 5);
    expect(members.map(({ key }) => key)).toEqual(['in']);
    expect(end).toBe(14);
  });

  it('finds no member in an empty object', () => {
    expect(indexMembers(Buffer.from('{ }'))).toEqual({ members: [], end: 3 });
  });

  it.each(['', ' ', '[]', '"a"', 'null', '1'])('refuses %j as no object', (text) => {
    expect(() => indexMembers(Buffer.from(text))).toThrow(expect.objectContaining({ reason: 'kind' }));
  });

  it.each([
    ['{', 1],
    ['{a:1}', 1],
    ['{"a"}', 4],
    ['{"a" 1}', 5],
    ['{"a":}', 5],
    ['{"a":1', 6],
    ['{"a":1 "b":2}', 7],
    ['{"a":1,}', 7],
    ['{,}', 1],
    ['{"a\\x":1}', 1],
  ])('refuses %j', (text, offset) => {
    expect(() => indexMembers(Buffer.from(text))).toThrow(new JsonSyntaxError('syntax', offset));
  });
});
