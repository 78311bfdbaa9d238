import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonObject } from '#json';
import { newTransfer, rankHeader, rankOf, returnedRank } from './dp-rank.ts';

describe('rankOf', () => {
  it.each([
    ['abc', 8, 2],
    ['cmpl-foo-0', 8, 5],
    ['00000000-0000-0000-0000-000000000000', 8, 6],
    ['req-9f8a-2026-1p1d', 8, 2],
    ['cmpl-deadbeef-cafe-1234', 8, 4],
    ['abc', 2, 0],
    ['abc', 4, 2],
    ['abc', 16, 2],
    ['abc', 1, 0],
    ['abc', 0, 0],
    ['abc', -1, 0],
  ])('%j of %i ranks is %i', (text, dpSize, rank) => {
    expect(rankOf(text, dpSize)).toBe(rank);
  });

  it('is always the same for a text, and one of the ranks', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 2, max: 64 }), (text, dpSize) => {
        const rank = rankOf(text, dpSize);
        expect(rank).toBe(rankOf(text, dpSize));
        expect(rank).toBeGreaterThanOrEqual(0);
        expect(rank).toBeLessThan(dpSize);
      }),
    );
  });

  it('gives every rank about as many', () => {
    const buckets = new Array<number>(8).fill(0);
    for (let index = 0; index < 10_000; index++) {
      const rank = rankOf(`request-${index}`, 8);
      buckets[rank] = (buckets[rank] ?? 0) + 1;
    }
    for (const count of buckets) expect(Math.abs(count - 1250)).toBeLessThan(1250 / 4);
  });
});

describe('newTransfer', () => {
  it('is another one for each request, its rank that of its id', () => {
    const [one, other] = [newTransfer(8), newTransfer(8)];
    expect(one.id).toMatch(/^tx[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(one.id).not.toBe(other.id);
    expect(one.rank).toBe(rankOf(one.id.slice(2), 8));
  });
});

describe('returnedRank', () => {
  it.each([
    ['{"remote_dp_rank":5}', 8, 5],
    ['{"remote_dp_rank":0}', 8, 0],
    ['{"remote_dp_rank":5.0}', 8, 5],
    ['{"remote_dp_rank":3.5}', 8, 3],
    ['{"remote_dp_rank":8}', 8, 3],
    ['{"remote_dp_rank":-1}', 8, 3],
    ['{"remote_dp_rank":"5"}', 8, 3],
    ['{"remote_dp_rank":null}', 8, 3],
    ['{}', 8, 3],
    [undefined, 8, 3],
    ['{"remote_dp_rank":5}', 1, 0],
    ['{"remote_dp_rank":5}', 0, 0],
  ])('of %s with %i ranks is %i, where 3 was asked for', (params, dpSize, rank) => {
    const object = params === undefined ? undefined : JsonObject.of(Buffer.from(params));
    expect(returnedRank(object, dpSize, 3)).toBe(rank);
  });
});

describe('rankHeader', () => {
  it.each([
    [8, ['x-data-parallel-rank', '3']],
    [1, []],
    [0, []],
  ])('with %i ranks is %j', (dpSize, expected) => {
    expect(rankHeader(3, dpSize)).toEqual(expected);
  });
});
