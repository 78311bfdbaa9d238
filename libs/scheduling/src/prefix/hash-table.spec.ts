import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { HashTable } from './hash-table.ts';

/** Few values of the upper half, so that hashes meet at one place. */
const hash = fc.record({ low: fc.nat({ max: 20 }), high: fc.constantFrom(0, 1, 30, 31, 32, 2 ** 32 - 1) });
const keyOf = ({ low, high }: { low: number; high: number }): string => `${low}/${high}`;

describe('HashTable', () => {
  it('knows what is in it, each under an id of its own that stays the same', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ isAdded: fc.boolean(), hash }), { maxLength: 300 }), (steps) => {
        const table = new HashTable();
        const model = new Map<string, { low: number; high: number; id: number }>();
        for (const { isAdded, hash: given } of steps) {
          const known = model.get(keyOf(given));
          if (isAdded && known === undefined)
            model.set(keyOf(given), { ...given, id: table.add(given.low, given.high) });
          if (!isAdded && known !== undefined) {
            table.remove(known.id);
            model.delete(keyOf(given));
            expect(table.find(given.low, given.high)).toBe(-1);
          }
          for (const { low, high, id } of model.values()) expect(table.find(low, high)).toBe(id);
        }
        expect(table.size).toBe(model.size);
        expect(new Set(Array.from(model.values(), ({ id }) => id)).size).toBe(model.size);
      }),
    );
  });
});
