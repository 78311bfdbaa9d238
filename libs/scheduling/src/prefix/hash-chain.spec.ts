import { describe, expect, it } from '@jest/globals';
import { paced } from '../parsing/paced.ts';
import { chainSeed, hashChain } from './hash-chain.ts';
import { hashBytes, hashLong, hashText } from './xxh64.ts';

const hex = (hash: bigint): string => hash.toString(16);
const ids = (...all: number[]): Uint32Array => new Uint32Array(all);
const range = (count: number): Uint32Array => Uint32Array.from({ length: count }, (_, index) => index + 1);
const content = (block: Uint32Array): string => hex(hashBytes(new Uint8Array(block.buffer)));

async function chain(prompt: Uint32Array, blockSize: number, seed: bigint, maxBlocks = Infinity): Promise<string[]> {
  return Array.from(await paced(hashChain(prompt, seed, { blockSize, maxBlocks })), hex);
}

describe('XXH64', () => {
  it.each([
    ['', 'ef46db3751d8e999'],
    ['abc', '44bc2cf5ad770999'],
    ['https://example.com/a.png', '9f4fdeae6ee1ceba'],
  ])('of %j is %s', async (text, expected) => {
    expect(hex(hashText(text))).toBe(expected);
    expect(hex(await paced(hashLong(Buffer.from(text))))).toBe(expected);
  });

  it('is the same in pieces', async () => {
    const bytes = Buffer.alloc(1_000_000, 'some text');
    expect(await paced(hashLong(bytes))).toBe(hashBytes(bytes));
  });
});

/** The check vectors of `epp.md` 5.3. */
describe('hashChain', () => {
  it('begins with the model and the salt', () => {
    expect(hex(chainSeed('m', ''))).toBe('ba2e567083a2b2e8');
    expect(hex(chainSeed('m', 'salt'))).toBe('d91548f60ba19b9b');
  });

  it('hashes blocks of ids as they are in memory', () => {
    expect(content(ids(1, 2, 3, 4))).toBe('27f0147e6ec514a6');
    expect(content(ids(5, 6, 7, 8))).toBe('a7bed13863bc3975');
    expect(content(ids(9, 10))).toBe('fc0ed29689d94c13');
  });

  it('links each block to those before it, and takes the rest for a block', async () => {
    expect(await chain(range(10), 4, chainSeed('m', ''))).toEqual([
      'ff375b446cd15b25',
      'd0e13dbe79e3cd40',
      '6c0f38e4493e1b53',
    ]);
  });

  it.each([
    ['', ['bdeada2071943583', '7aacfb531261b051']],
    ['salt', ['6b0e68c54f9ceac3', 'f1433d4ff41f4429']],
  ])('with the salt %j is a chain of its own', async (salt, expected) => {
    expect(await chain(range(4), 2, chainSeed('m', salt))).toEqual(expected);
  });

  it('ends at the most blocks that are looked at', async () => {
    expect(await chain(range(10), 4, chainSeed('m', ''), 2)).toHaveLength(2);
    expect(await chain(range(10), 4, chainSeed('m', ''), 0)).toEqual([]);
  });

  it('reads ids wherever they lie in their memory', async () => {
    const within = new Uint32Array([7, 7, 1, 2, 3, 4]).subarray(2);
    expect(await chain(within, 2, chainSeed('m', ''))).toEqual(await chain(range(4), 2, chainSeed('m', '')));
  });
});
