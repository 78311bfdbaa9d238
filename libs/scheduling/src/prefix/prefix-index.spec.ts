import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { paced } from '../parsing/paced.ts';
import { PrefixIndex } from './prefix-index.ts';

const chainOf = (...hashes: (number | bigint)[]): BigUint64Array => BigUint64Array.from(hashes.map(BigInt));

async function record(index: PrefixIndex, endpoint: string, hashes: number[], capacity = 100): Promise<void> {
  await paced(index.record(endpoint, [chainOf(...hashes)], capacity));
}

async function matches(index: PrefixIndex, hashes: number[], ...endpoints: string[]): Promise<number[]> {
  const matched = await paced(index.lookup([chainOf(...hashes)]));
  return endpoints.map(matched);
}

describe('PrefixIndex', () => {
  it('counts the blocks that each endpoint holds', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 2, 3]);
    await record(index, 'b', [1, 2]);
    expect(await matches(index, [1, 2, 3, 4], 'a', 'b', 'c')).toEqual([3, 2, 0]);
    expect(index.size).toBe(3);
  });

  it('follows a chain to the first block that nobody holds', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 3]);
    expect(await matches(index, [1, 2, 3], 'a')).toEqual([1]);
  });

  it('counts on where an endpoint lacks a block that another one holds', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 3]);
    await record(index, 'b', [2]);
    expect(await matches(index, [1, 2, 3], 'a', 'b')).toEqual([2, 1]);
  });

  it('adds up the chains of several prompts', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 2]);
    const matched = await paced(index.lookup([chainOf(1, 2), chainOf(1, 9), chainOf()]));
    expect(matched('a')).toBe(3);
  });

  it('tells hashes apart by all of their bits', async () => {
    const index = new PrefixIndex();
    await paced(index.record('a', [chainOf(1n << 40n, (1n << 63n) + 5n)], 100));
    const matched = await paced(index.lookup([chainOf(0)]));
    expect(matched('a')).toBe(0);
    expect((await paced(index.lookup([chainOf(1n << 40n, (1n << 63n) + 5n)])))('a')).toBe(2);
  });

  it('forgets the longest unused blocks of an endpoint that holds too many, and nothing of the others', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 2, 3], 3);
    await record(index, 'b', [2], 3);
    await record(index, 'a', [1]);
    await record(index, 'a', [4]);
    expect(await matches(index, [1], 'a')).toEqual([1]);
    expect(await matches(index, [2], 'a', 'b')).toEqual([0, 1]);
    expect(index.held('a')).toBe(3);
  });

  it('keeps no more than an endpoint holds when a chain is longer than that', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 2, 3, 4, 5], 2);
    expect(index.size).toBe(2);
    expect(index.held('a')).toBe(2);
  });

  it('drops an endpoint with all that it holds', async () => {
    const index = new PrefixIndex();
    await record(index, 'a', [1, 2]);
    await record(index, 'b', [2]);
    index.remove('a');
    index.remove('unknown');
    expect(await matches(index, [2, 1], 'a', 'b')).toEqual([0, 1]);
    await nextTurn();
    expect(await matches(index, [2, 1], 'a', 'b')).toEqual([0, 1]);
    expect(index.size).toBe(1);
    await record(index, 'a', [3]);
    expect(await matches(index, [2], 'a')).toEqual([0]);
  });

  it('agrees with a plain list of what every endpoint was sent', async () => {
    const step = fc.record({
      endpoint: fc.constantFrom('a', 'b', 'c'),
      hashes: fc.array(fc.nat({ max: 12 }), { maxLength: 6 }),
      isRemoved: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step), fc.array(fc.nat({ max: 12 })), async (steps, wanted) => {
        const index = new PrefixIndex();
        const model = new Map<string, Set<number>>();
        for (const { endpoint, hashes, isRemoved } of steps) {
          if (isRemoved) {
            index.remove(endpoint);
            await nextTurn();
            model.delete(endpoint);
          } else {
            await record(index, endpoint, hashes, 5);
            model.set(endpoint, latest([...(model.get(endpoint) ?? []), ...hashes], 5));
          }
        }
        expect(await matches(index, wanted, 'a', 'b', 'c')).toEqual(
          ['a', 'b', 'c'].map((id) => expected(model, wanted, id)),
        );
        await nextTurn();
        expect(index.size).toBe(new Set(Array.from(model.values(), (held) => [...held]).flat()).size);
      }),
    );
  });
});

function latest(hashes: number[], capacity: number): Set<number> {
  const kept = new Set<number>();
  for (const hash of hashes) {
    kept.delete(hash);
    kept.add(hash);
  }
  return new Set([...kept].slice(-capacity));
}

function expected(model: ReadonlyMap<string, Set<number>>, wanted: number[], endpoint: string): number {
  const end = wanted.findIndex((hash) => ![...model.values()].some((held) => held.has(hash)));
  return wanted.slice(0, end === -1 ? wanted.length : end).filter((hash) => model.get(endpoint)?.has(hash) === true)
    .length;
}
