import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecentBlocks } from './recent-blocks.ts';

describe('RecentBlocks', () => {
  it('gives up the longest unused block', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(fc.nat({ max: 40 })), (capacity, touched) => {
        const recent = new RecentBlocks(capacity);
        // a set that is put in anew keeps the order
        const model = new Set<number>();
        for (const block of touched) {
          expect(recent.touch(block)).toBe(!model.delete(block));
          model.add(block);
          const [oldest] = model;
          const expected = model.size > capacity ? oldest : undefined;
          if (expected !== undefined) model.delete(expected);
          expect(recent.evicted()).toBe(expected);
          expect(recent.size).toBe(model.size);
        }
        for (const block of model) expect(recent.takeOldest()).toBe(block);
        expect(recent.takeOldest()).toBeUndefined();
      }),
    );
  });

  it('tells blocks apart up to the highest number', () => {
    const recent = new RecentBlocks(10);
    recent.touch(2 ** 31 - 1);
    expect(recent.touch(2 ** 32 - 1)).toBe(true);
    expect(recent.takeOldest()).toBe(2 ** 31 - 1);
    expect(recent.takeOldest()).toBe(2 ** 32 - 1);
  });
});
