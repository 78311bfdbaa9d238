import { describe, expect, it } from '@jest/globals';
import { stringEnd, valueEnd } from './json-scan.ts';
import { JsonSyntaxError } from './json-syntax.error.ts';

/** Lengths around the borders between walking and native search. */
const LENGTHS = [0, 1, 46, 47, 48, 49, 50, 96, 97, 1000];

describe('stringEnd', () => {
  it.each(['', 'plain', '\\"', '\\\\', '\\\\\\"', '\\\\\\\\', '\\"\\"', 'é😀', '{[,]}', '\\ud83d'])(
    'finds the end behind %j at any length',
    (tail) => {
      for (const length of LENGTHS) {
        const text = `"${'x'.repeat(length)}${tail}"`;
        expect(stringEnd(Buffer.from(`${text},"next"`), 0)).toBe(Buffer.byteLength(text));
      }
    },
  );

  it('crosses escaped quotes at any distance from each other', () => {
    for (const length of LENGTHS) {
      const text = `"${`${'x'.repeat(length)}\\"`.repeat(50)}"`;
      expect(stringEnd(Buffer.from(`${text},"next"`), 0)).toBe(text.length);
    }
  });

  it.each(['"', '"abc', '"abc\\', '"abc\\"', `"${'x'.repeat(100)}`, `"${'x'.repeat(100)}\\"`, `"${'x'.repeat(46)}\\`])(
    'refuses %j, which does not end',
    (text) => {
      expect(() => stringEnd(Buffer.from(text), 0)).toThrow(new JsonSyntaxError('syntax', 0));
    },
  );
});

describe('valueEnd', () => {
  const ids = Array.from({ length: 200 }, (_, id) => id).join(',');

  it.each([
    '1',
    '-1.5e+10',
    'true',
    'null',
    '"a,b"',
    '{}',
    '[]',
    '{"a":{"b":[1,{"c":"]}"}]}}',
    '["]","}","\\"]"]',
    `[${ids}]`,
    `[ ${ids} ]`,
    `[[${ids}],[${ids}]]`,
    `[${ids},"]"]`,
    `[${ids},[1]]`,
    `[${ids},{"a":[1]}]`,
    `{"a":[${ids}],"b":[${ids},"]",[${ids}]]}`,
    `[1,[2,[3,[${ids}]]]]`,
    `[1,[2,"${'x'.repeat(300)}]",[3]]]`,
  ])('finds the end of %j', (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
    for (const tail of ['', ',1', '}', ']', ' ', '\n"x"']) {
      expect(valueEnd(Buffer.from(`:${text}${tail}`), 1)).toBe(text.length + 1);
    }
  });

  it.each(['', ',', '}', ']', ' 1', '{', '[', '[1', '{"a":1', '["]"', '[[1]', `[${ids}`, `[[${ids}]`, `[${ids},"]"`])(
    'refuses %j, which holds no value or does not end',
    (text) => {
      expect(() => valueEnd(Buffer.from(text), 0)).toThrow(JsonSyntaxError);
    },
  );

  it('crosses 1,000,000 levels without a deep call stack', () => {
    const levels = 1_000_000;
    expect(valueEnd(Buffer.from('['.repeat(levels) + ']'.repeat(levels)), 0)).toBe(2 * levels);
    expect(() => valueEnd(Buffer.from('[1,'.repeat(levels)), 0)).toThrow(JsonSyntaxError);
  });

  it('searches what arrays in arrays have in common once', () => {
    const long = `"${'x'.repeat(8_000_000)}"`;
    const [flat, deep] = [Buffer.from(`[1,${long}]`), Buffer.from('[1,'.repeat(500) + long + ']'.repeat(500))];
    const milliseconds = (source: Buffer): number => {
      const start = performance.now();
      expect(valueEnd(source, 0)).toBe(source.length);
      return performance.now() - start;
    };
    milliseconds(flat);
    expect(milliseconds(deep)).toBeLessThan(10 * milliseconds(flat) + 20);
  });
});
