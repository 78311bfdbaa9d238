import { describe, expect, it } from '@jest/globals';
import { TokenArray, TokenArrayError } from './token-array.ts';

const scan = (text: string): TokenArray => TokenArray.scan(Buffer.from(text));

describe('TokenArray.scan', () => {
  it.each([
    ['[]', 0],
    ['[ \n]', 0],
    ['[0]', 1],
    ['[-0]', 1],
    ['[1,2,3]', 3],
    [' [ 1 , 2\t,\r\n3 ] ', 3],
    ['[3.0]', 1],
    ['[1e2,2E+1,50e-1]', 3],
    ['[123456789012345]', 1],
    ['[1234567890123456]', 1],
    ['[9007199254740993]', 1],
    ['[9223372036854775807]', 1],
    ['[1e18]', 1],
  ])('accepts %j as %i ids', (text, count) => {
    expect(scan(text).count).toBe(count);
  });

  it.each([
    ['a negative id', '[1,-2]', 1],
    ['a fraction', '[1.5]', 0],
    ['a negative exponent with a rest', '[15e-1]', 0],
    ['2^63', '[0,0,9223372036854775808]', 2],
    ['20 digits', '[10000000000000000000]', 0],
    ['2^63 with an exponent', '[9.223372036854775808e18]', 0],
    ['an infinite number', '[1,1e400]', 1],
    ['a nested array', '[1,[2]]', 1],
    ['an object', '[{}]', 0],
    ['a string', '[1,2,"3"]', 2],
    ['null', '[null]', 0],
    ['a literal', '[true]', 0],
    ['a leading zero', '[01]', 0],
    ['a leading zero behind others', '[1,007]', 1],
    ['a bare minus', '[-]', 0],
    ['a plus', '[+1]', 0],
    ['a bare point', '[1.]', 0],
    ['a bare exponent', '[1e]', 0],
    ['letters behind digits', '[1,2x]', 1],
    ['a control character behind digits', '[1\u0001]', 0],
    ['more digits than any number has', `[${'1'.repeat(100_001)}]`, 0],
    ['a comma behind the last id', '[1,2,]', 2],
    ['a comma before the first id', '[,1]', 0],
    ['no comma', '[1,2 3]', 1],
    ['no end', '[1,2', 1],
    ['no end behind a comma', '[1,', 1],
    ['nothing behind the bracket', '[', 0],
  ])('refuses %s and names the index', (_, text, index) => {
    expect(() => scan(text)).toThrow(new TokenArrayError(index));
    expect(new TokenArrayError(index).message).toBe(`element ${index} is not a token id`);
  });

  it.each(['', ' ', '{}', '1', '"[1]"', 'null'])('refuses %j as no array', (text) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ index: -1, message: 'not an array of token ids' }));
  });

  it('keeps the bytes as they came, shared with the source', () => {
    const source = Buffer.alloc(40, ' ');
    source.write('[ 1,2.0 , 3e0 ],"x"', 20);
    const tokens = TokenArray.scan(source, 19);
    expect(tokens.bytes.toString()).toBe('[ 1,2.0 , 3e0 ]');
    expect(tokens.bytes.buffer).toBe(source.buffer);
    expect(tokens.end).toBe(35);
    expect(source.toString('latin1', tokens.end, tokens.end + 4)).toBe(',"x"');
  });

  it('counts 128k ids', () => {
    expect(scan(`[${Array.from({ length: 131_072 }, (_, id) => id).join(',')}]`).count).toBe(131_072);
  });
});

describe('TokenArray.scan of a long array', () => {
  const ids = Array.from({ length: 160 }, (_, index) => (index * 7_919) % 10 ** (1 + (index % 7)) || 1);
  const written = `[${ids.join(',')}]`;

  const isId = (id: unknown): boolean => Number.isInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 63;

  /** What JSON.parse makes of it, as a number of ids; undefined where it is no array of them. */
  function expected(text: string): number | undefined {
    try {
      const value = JSON.parse(text) as unknown;
      return Array.isArray(value) && value.every(isId) ? value.length : undefined;
    } catch {
      return undefined;
    }
  }

  function counted(source: Buffer): number | undefined {
    try {
      const tokens = TokenArray.scan(source);
      return source.subarray(tokens.end).toString('latin1').trim() === '' ? tokens.count : undefined;
    } catch {
      return undefined;
    }
  }

  it.each([0, 1, 2, 3])(
    'sees any byte that is out of place, wherever the array begins (%i behind a word)',
    (offset) => {
      const wrong: unknown[] = [];
      for (const byte of '0,9]-.e "[\u0000\u00ff') {
        for (let at = 1; at < written.length; at++) {
          const changed = `${written.slice(0, at)}${byte}${written.slice(at + 1)}`;
          const source = Buffer.alloc(offset + changed.length).subarray(offset);
          source.write(changed, 'latin1');
          if (counted(source) !== expected(changed)) wrong.push({ byte, at });
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it.each([15, 16, 19, 20])('counts numbers of %i digits between short ones, or refuses them', (digits) => {
    const long = `1${'0'.repeat(digits - 1)}`;
    const text = `[${[...ids, long, ...ids].join(',')}]`;
    expect(counted(Buffer.from(text))).toBe(digits === 20 ? undefined : 2 * ids.length + 1);
  });
});

describe('TokenArray.at', () => {
  const tokens = scan(' [ 10 ,20.0,\n9223372036854775807,3e1 ]');

  it('gives ids as they are written, in the order asked for', () => {
    expect(tokens.at([2, 0, 3, 1, 0])).toEqual(['9223372036854775807', '10', '3e1', '20.0', '10']);
  });

  it.each([-1, 4, 1000, 0.5, Number.NaN])('gives undefined for index %d, which has no id', (index) => {
    expect(tokens.at([index, 0])).toEqual([undefined, '10']);
  });

  it('gives nothing for an empty array', () => {
    expect(scan('[]').at([0])).toEqual([undefined]);
    expect(tokens.at([])).toEqual([]);
  });

  it('takes any number of indexes', () => {
    const indexes = Array.from({ length: 300_000 }, () => 1);
    expect(new Set(tokens.at(indexes))).toEqual(new Set(['20.0']));
  });
});
