import { describe, expect, it } from '@jest/globals';
import { JsonSyntaxError } from './json-syntax.error.ts';
import { JsonValidator } from './json-validator.ts';

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('JsonValidator', () => {
  it.each([
    '{}',
    '[]',
    ' \t\r\n{ \t\r\n} \t\r\n',
    '{"a":1}',
    '{ "a" : 1 , "b" : [ 2 , { } ] }',
    '{"a":1,"a":2,"mod\\u0065l":3,"__proto__":4,"":5}',
    '[true,false,null]',
    'true',
    'null',
    '"text"',
    '0',
    '-0',
    '-0.0e-0',
    '10',
    '1.5',
    '1E5',
    '1e+5',
    '1e-05',
    '165598928036513123123',
    '1e400',
    '[1,-2,3.0,4e1]',
    '""',
    '"\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0041 \\uABcd"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"é 😀 \u007f \u2028 \uffff"',
  ])('accepts %j', (text) => {
    expect(outcome(text)).toBe('accepted');
  });

  it.each([
    ['nothing', '', 0],
    ['white space alone', ' \n ', 3],
    ['a byte order mark', '\ufeff{}', 0],
    ['white space JSON does not have', '\u00a0{}', 0],
    ['a form feed', '[1,\f2]', 3],
    ['something behind the document', '{} x', 3],
    ['a second document', '{}{}', 2],
    ['a NUL behind the document', '{}\0', 2],
    ['an open object', '{', 1],
    ['an open array', '[1', 2],
    ['a comma behind the last item', '[1,]', 3],
    ['a comma behind the last member', '{"a":1,}', 7],
    ['a comma before the first item', '[,1]', 1],
    ['a comma before the first member', '{,"a":1}', 1],
    ['two commas', '[1,,2]', 3],
    ['no comma between items', '[1 2]', 3],
    ['no comma between members', '{"a":1 "b":2}', 7],
    ['a bracket for a brace', '{"a":1]', 6],
    ['a brace for a bracket', '[1}', 2],
    ['a close without an open', ']', 0],
    ['a key without a value', '{"a"}', 4],
    ['a key with a colon alone', '{"a":}', 5],
    ['a key that is no string', '{a:1}', 1],
    ['a number as key', '{1:1}', 1],
    ['two colons', '{"a"::1}', 5],
    ['a colon in an array', '["a":1]', 4],
    ['single quotes', "{'a':1}", 1],
    ['a comment', '[1/*x*/]', 2],
    ['an upper-case literal', 'True', 0],
    ['a cut literal', '[tru', 1],
    ['a literal with a tail', '[nullx]', 5],
    ['NaN', '{"a":NaN}', 5],
    ['Infinity', '[Infinity]', 1],
    ['minus infinity', '[-Infinity]', 2],
    ['a bare minus', '[-]', 2],
    ['a plus', '[+1]', 1],
    ['a leading zero', '[01]', 2],
    ['a leading zero behind the first item', '[1,00]', 4],
    ['a leading zero behind a minus', '-012', 2],
    ['a point without digits before', '[.5]', 1],
    ['a point without digits behind', '[1.]', 3],
    ['an exponent without digits', '[1e]', 3],
    ['an exponent with a sign alone', '[1e+]', 4],
    ['a fraction in an exponent', '[1e1.5]', 4],
    ['a hexadecimal number', '[0x1]', 2],
    ['an open string', '"abc', 4],
    ['a string that ends with a backslash', '"abc\\', 4],
    ['an escaped closing quote', '"abc\\"', 6],
  ])('refuses %s', (_, text, offset) => {
    expect(outcome(text)).toBe(`syntax at ${offset}`);
  });

  describe('in strings of any length', () => {
    const lengths = [0, 1, 23, 24, 25, 26, 27, 28, 63, 64, 65, 100, 2 ** 20 + 1];
    const faults: [string, string][] = [
      ['a NUL', '\0'],
      ['a raw line feed', '\n'],
      ['a raw tab', '\t'],
      ['the last control character', '\x1f'],
      ['an unknown escape', '\\x'],
      ['an escape of a single quote', "\\'"],
      ['an escape with an upper-case letter', '\\N'],
      ['a short unicode escape', '\\u12'],
      ['a unicode escape with other letters', '\\u12G4'],
      ['a unicode escape with a sign', '\\u+123'],
    ];

    it.each(faults)('refuses %s', (_, fault) => {
      for (const length of lengths) {
        const text = `{"a":"${'x'.repeat(length)}${fault}${'x'.repeat(40)}"}`;
        expect(outcome(text)).toBe(`syntax at ${length + 6}`);
      }
    });

    it('accepts escapes and characters of several bytes', () => {
      for (const length of lengths) {
        const fill = 'x'.repeat(length);
        expect(outcome(`{"a":{"${fill}":"${fill}\\"\\\\${fill}\\ud83d${fill}é😀\\u00e9"}}`)).toBe('accepted');
      }
    });

    it('refuses a fault that the buffer holds at any alignment', () => {
      for (let shift = 0; shift < 8; shift++) {
        const memory = Buffer.from(`${' '.repeat(shift)}"${'x'.repeat(61)}\n${'x'.repeat(9)}"`);
        expect(outcome(memory.subarray(shift))).toBe('syntax at 62');
      }
    });

    it('does not look behind its own bytes', () => {
      const memory = Buffer.from(`"${'x'.repeat(60)}"`);
      expect(outcome(memory.subarray(0, 60))).toBe('syntax at 60');
    });
  });

  describe('depth', () => {
    it('accepts 512 levels', () => {
      expect(outcome(nested(512))).toBe('accepted');
      expect(outcome('{"a":'.repeat(512) + '1' + '}'.repeat(512))).toBe('accepted');
    });

    it('refuses 513 levels', () => {
      expect(outcome(nested(513))).toBe('depth at 512');
      expect(outcome('{"a":'.repeat(513) + '1' + '}'.repeat(513))).toBe('depth at 2560');
    });

    it('refuses 1,000,000 levels without a look at the rest', () => {
      expect(outcome(`${'['.repeat(1_000_000)}\0`)).toBe('depth at 512');
    });

    it('counts open levels, not containers', () => {
      expect(outcome(`[${'[],{},'.repeat(10_000)}[]]`)).toBe('accepted');
    });
  });

  describe('members', () => {
    it('are those of the outermost object, in order, repeated ones included', () => {
      const source = Buffer.from(' { "a" : 1 , "mod\\u0065l":"x", "o":{"a":[{"in":2}]} ,"a":[ ], "é":null } ');
      const validator = new JsonValidator(source);
      validator.run();
      expect(validator.members.map(({ key }) => key)).toEqual(['a', 'model', 'o', 'a', 'é']);
      const texts = validator.members.map((member) => source.toString('utf8', member.keyStart, member.valueEnd));
      expect(texts).toEqual(['"a" : 1', '"mod\\u0065l":"x"', '"o":{"a":[{"in":2}]}', '"a":[ ]', '"é":null']);
      const values = validator.members.map((member) => source.toString('utf8', member.valueStart, member.valueEnd));
      expect(values).toEqual(['1', '"x"', '{"a":[{"in":2}]}', '[ ]', 'null']);
    });

    it('are none for an array', () => {
      const validator = new JsonValidator(Buffer.from('[{"a":1}]'));
      validator.run();
      expect(validator.members).toEqual([]);
    });
  });

  describe('run(budget)', () => {
    const texts = [
      ' { "k\\u0065y" : [ 1, -2,3 , 4.5e6 ] , "s" : "\\"\\\\é" , "o" : { "a" : { } } , "t" : true } \n',
      `{"long":"${'abcdefg\\n'.repeat(40)}","ids":[${Array.from({ length: 50 }, (_, id) => id).join(',')}]}`,
      `${' '.repeat(100)}[${' '.repeat(100)}]${' '.repeat(100)}`,
      `{"a":"${'x'.repeat(200)}\u0001"}`,
      '{"a":[1,2,03]}',
      nested(513),
    ];

    it.each([1, 2, 3, 7, 16, 65, 1000])('of %i bytes ends as one run does', (budget) => {
      for (const text of texts) {
        const whole = new JsonValidator(Buffer.from(text));
        const pieces = new JsonValidator(Buffer.from(text));
        expect(runOutcome(pieces, budget)).toBe(runOutcome(whole, Infinity));
        expect(pieces.members).toEqual(whole.members);
      }
    });

    it.each([
      ['a string', `"${'x'.repeat(1_000_000)}"`],
      ['a string of escapes', `"${'\\n'.repeat(500_000)}"`],
      ['a token array', `[${'123,'.repeat(250_000)}4]`],
      ['white space', `${' '.repeat(1_000_000)}1`],
      ['small containers', `[${'[],'.repeat(300_000)}[]]`],
    ])('walks %s of 1 MB in at least 8 runs of 100 kB', (_, text) => {
      const validator = new JsonValidator(Buffer.from(text));
      let runs = 1;
      while (!validator.run(100_000)) runs++;
      expect(runs).toBeGreaterThanOrEqual(8);
    });
  });

  it.each([
    { what: 'more members than it keeps', document: `{${Array.from({ length: 65_537 }, () => '"k":0').join(',')}}` },
    { what: 'a key longer than it decodes', document: `{"${'k'.repeat(65_536)}":0}` },
  ])('refuses an outermost object with $what', ({ document }) => {
    expect(outcome(document)).toMatch(/^size at/);
  });

  it('tells a place and no content in its error', () => {
    expect(() => new JsonValidator(Buffer.from('{"secret":secret}')).run()).toThrow(
      new JsonSyntaxError('syntax', 10).message,
    );
    expect(new JsonSyntaxError('syntax', 10).message).toBe('invalid JSON at byte 10');
    expect(new JsonSyntaxError('depth', 512).message).toBe('nested deeper than 512 levels at byte 512');
  });
});

function outcome(document: string | Buffer): string {
  return runOutcome(new JsonValidator(Buffer.isBuffer(document) ? document : Buffer.from(document)), Infinity);
}

function runOutcome(validator: JsonValidator, budget: number): string {
  try {
    while (!validator.run(budget));
    return 'accepted';
  } catch (error) {
    if (error instanceof JsonSyntaxError) return `${error.reason} at ${error.offset}`;
    throw error;
  }
}
