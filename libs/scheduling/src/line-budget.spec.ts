import { describe, expect, it } from '@jest/globals';
import { LineBudget } from './line-budget.ts';

describe('LineBudget', () => {
  it('lets so many lines through in a stretch, and says behind it how many there were beside them', () => {
    const budget = new LineBudget(2, 1_000);
    expect([0, 1, 2, 999].map((now) => budget.take(now))).toEqual([0, 0, undefined, undefined]);
    expect([1_000, 1_001].map((now) => budget.take(now))).toEqual([2, 0]);
  });

  it('begins a stretch with the first line behind the last one', () => {
    const budget = new LineBudget(1, 1_000);
    expect([500, 1_400, 5_000, 5_999].map((now) => budget.take(now))).toEqual([0, undefined, 1, undefined]);
  });
});
