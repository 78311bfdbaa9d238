import { describe, expect, it } from '@jest/globals';
import { mutation } from '../testing/scripted-picker.ts';
import { headerMap, mutated, valueIn, withoutPseudo } from './message-headers.ts';
import type { HeaderPair } from './message-headers.ts';

const HEAD: readonly HeaderPair[] = [
  [':path', '/a'],
  ['X-Two', '1'],
  ['x-two', '2'],
  ['X-Keep', 'k'],
];

describe('mutated', () => {
  it.each([
    { what: 'nothing', set: {}, removed: [], left: HEAD },
    { what: 'a name in another case', set: {}, removed: ['x-TWO'], left: [HEAD[0], HEAD[3]] },
    { what: 'every value of a name', set: { 'x-two': '3' }, removed: [], left: [HEAD[0], HEAD[3], ['x-two', '3']] },
    {
      what: 'what is set, too',
      set: { 'X-Keep': 'l' },
      removed: ['x-keep'],
      left: [...HEAD.slice(0, 3), ['X-Keep', 'l']],
    },
  ])('takes away $what', ({ set, removed, left }) => {
    expect(mutated(HEAD, mutation({ ...set }, removed))).toEqual(left);
  });

  it('reads a header without a value, which is not on the wire', () => {
    expect(mutated([], { set_headers: [{ header: { key: 'x-empty' } }] })).toEqual([['x-empty', '']]);
    expect(mutated(HEAD)).toEqual(HEAD);
  });
});

describe('headerMap', () => {
  it('has names in lower case, and values byte for byte', () => {
    const { headers } = headerMap([['X-Name', 'na\u00efve']]);
    expect(headers).toEqual([{ key: 'x-name', raw_value: Buffer.from([0x6e, 0x61, 0xef, 0x76, 0x65]) }]);
  });
});

describe('what is read of a head', () => {
  it('is the last value of a name, and headers without what HTTP/1 has elsewhere', () => {
    expect([valueIn(HEAD, 'x-two'), valueIn(HEAD, 'x-none')]).toEqual(['2', undefined]);
    expect(withoutPseudo(HEAD)).toEqual(HEAD.slice(1));
  });
});
