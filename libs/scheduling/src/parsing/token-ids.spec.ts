import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonValue } from '#json';
import { paced } from './paced.ts';
import { readTokenIds } from './token-ids.ts';

async function read(text: string): Promise<number[]> {
  return [...(await paced(readTokenIds(JsonValue.read(Buffer.from(text)), 'ids')))];
}

describe('readTokenIds', () => {
  it('reads what JSON.stringify writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 2 ** 32 - 1 })), async (ids) => {
        expect(await read(JSON.stringify(ids))).toEqual(ids);
        expect(await read(JSON.stringify(ids, undefined, 1))).toEqual(ids);
      }),
    );
  });

  it.each([
    ['[]', []],
    ['[ ]', []],
    ['[3.0,1e2]', [3, 100]],
    ['[0, 999999999 ,1000000000\n]', [0, 999_999_999, 1_000_000_000]],
  ])('reads %j', async (text, ids) => {
    expect(await read(text)).toEqual(ids);
  });

  it.each(['[-1]', '[1.5]', '[4294967296]', '["1"]', '[null]', '[[1]]', '[99999999999999999999]'])(
    'refuses %s with its place and without what stands there',
    async (text) => {
      await expect(read(text)).rejects.toThrow('ids[0] is not a token id from 0 to 4294967295');
    },
  );

  it('refuses what is no array', async () => {
    await expect(read('"1"')).rejects.toThrow('ids is not an array of token ids');
  });
});
