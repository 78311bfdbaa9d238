import { describe, expect, it } from '@jest/globals';
import type { Picker, Scored } from '../plugin.ts';
import { aCandidate, namesOf, seeded } from '../scheduling.fixture.ts';
import { MaxScorePicker } from './max-score.picker.ts';
import { pickerParams } from './picked.ts';
import { RandomPicker } from './random.picker.ts';
import { WeightedRandomPicker } from './weighted-random.picker.ts';

const ROUNDS = 20_000;
/** Four standard deviations of a share of that many rounds, and a little. */
const TOLERANCE = 0.015;

/** Candidates by name with their totals. */
function scored(totals: Readonly<Record<string, number>>): readonly Scored[] {
  return Object.entries(totals).map(([name, total]) => ({ candidate: aCandidate({ name }), total }));
}

/** Parts of the rounds in which each candidate was the first. */
function shares(picker: Picker, of: readonly Scored[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = Object.fromEntries(of.map(({ candidate }) => [candidate.endpoint.name, 0]));
  for (let round = 0; round < ROUNDS; round++) {
    const [name = ''] = namesOf(picker.pick(of));
    counts[name] = (counts[name] ?? 0) + 1 / ROUNDS;
  }
  return counts;
}

function expectShares(
  picker: Picker,
  totals: Readonly<Record<string, number>>,
  expected: Record<string, number>,
): void {
  const found = shares(picker, scored(totals));
  for (const [name, share] of Object.entries(expected)) {
    expect({ name, off: Math.abs((found[name] ?? 0) - share) < TOLERANCE }).toEqual({ name, off: true });
  }
}

describe.each([
  { type: 'max-score-picker', make: MaxScorePicker },
  { type: 'random-picker', make: RandomPicker },
  { type: 'weighted-random-picker', make: WeightedRandomPicker },
])('$type', ({ make: Make }) => {
  it.each([
    [undefined, 1],
    [{ maxNumOfEndpoints: 0 }, 1],
    [{ maxNumOfEndpoints: -3 }, 1],
    [{ maxNumOfEndpoints: 2 }, 2],
    [{ maxNumOfEndpoints: 9 }, 3],
  ])('with %j chooses %i of three, none of them twice', (parameters, expected) => {
    const picked = new Make(pickerParams.parse(parameters)).pick(scored({ a: 1, b: 0.5, c: 0 }));
    expect(new Set(picked).size).toBe(expected);
    expect(picked).toHaveLength(expected);
  });

  it('chooses nobody of nobody', () => {
    expect(new Make({ maxNumOfEndpoints: 1 }).pick([])).toEqual([]);
  });

  it('leaves what it is given in its order', () => {
    const given = scored({ a: 0, b: 1, c: 0.5 });
    new Make({ maxNumOfEndpoints: 3 }).pick(given);
    expect(namesOf(given.map(({ candidate }) => candidate))).toEqual(['a', 'b', 'c']);
  });

  it('spreads equals evenly', () => {
    const picker = new Make({ maxNumOfEndpoints: 1 }, undefined, seeded(1));
    expectShares(picker, { a: 0.7, b: 0.7, c: 0.7, d: 0.7 }, { a: 0.25, b: 0.25, c: 0.25, d: 0.25 });
  });

  it.each([0, -1])('spreads those whose totals are all %i', (total) => {
    const picker = new Make({ maxNumOfEndpoints: 1 }, undefined, seeded(2));
    expectShares(picker, { a: total, b: total }, { a: 0.5, b: 0.5 });
  });

  it('does not know a parameter that it does not have', () => {
    expect(pickerParams.safeParse({ maxNumEndpoints: 2 }).success).toBe(false);
  });
});

describe('max-score-picker', () => {
  it('puts the highest total first', () => {
    const picked = new MaxScorePicker({ maxNumOfEndpoints: 3 }).pick(
      scored({ low: 0.1, high: 2, middle: 0.5, out: -1 }),
    );
    expect(namesOf(picked)).toEqual(['high', 'middle', 'low']);
  });

  it('spreads equals at the top only', () => {
    const picker = new MaxScorePicker({ maxNumOfEndpoints: 1 }, undefined, seeded(3));
    expectShares(picker, { a: 1, b: 1, c: 0.9 }, { a: 0.5, b: 0.5, c: 0 });
  });
});

describe('random-picker', () => {
  it('does not look at totals', () => {
    const picker = new RandomPicker({ maxNumOfEndpoints: 1 }, undefined, seeded(4));
    expectShares(picker, { a: 100, b: 0 }, { a: 0.5, b: 0.5 });
  });
});

describe('weighted-random-picker', () => {
  it.each([
    { totals: { a: 3, b: 1 }, expected: { a: 0.75, b: 0.25 } },
    { totals: { a: 5, b: 3, c: 2 }, expected: { a: 0.5, b: 0.3, c: 0.2 } },
    { totals: { a: 0.003, b: 0.001 }, expected: { a: 0.75, b: 0.25 } },
    { totals: { a: 3e-9, b: 1e-9 }, expected: { a: 0.75, b: 0.25 } },
    { totals: { a: 1, none: 0 }, expected: { a: 1, none: 0 } },
  ])('chooses in proportion to $totals', ({ totals, expected }) => {
    expectShares(new WeightedRandomPicker({ maxNumOfEndpoints: 1 }, undefined, seeded(5)), totals, expected);
  });

  it('puts those without a total behind those with one', () => {
    const picker = new WeightedRandomPicker({ maxNumOfEndpoints: 2 }, undefined, seeded(6));
    for (let round = 0; round < 100; round++) {
      expect(namesOf(picker.pick(scored({ none: 0, some: 0.001, less: -1 })))[0]).toBe('some');
    }
  });
});
