import { describe, expect, it } from '@jest/globals';
import { aCandidate, aRequest } from '../scheduling.fixture.ts';
import { LabelSelectorFilter, labelSelector } from './label-selector.filter.ts';

/** Whether a pod with those labels gets through a filter with these parameters. */
function passes(parameters: unknown, labels: Readonly<Record<string, string>>): boolean {
  const filter = new LabelSelectorFilter(labelSelector.parse(parameters));
  return filter.filter(aRequest(), [aCandidate({ labels })]).length === 1;
}

const anExpression = (operator: string, values?: readonly string[]): unknown => ({
  matchExpressions: [{ key: 'role', operator, ...(values === undefined ? {} : { values }) }],
});

describe('label-selector-filter', () => {
  it.each([
    { operator: 'In', values: ['a', 'b'], same: true, other: false, none: false },
    { operator: 'NotIn', values: ['a', 'b'], same: false, other: true, none: true },
    { operator: 'Exists', values: undefined, same: true, other: true, none: false },
    { operator: 'DoesNotExist', values: undefined, same: false, other: false, none: true },
  ])('$operator $values: listed $same, not listed $other, without the label $none', (row) => {
    const selector = anExpression(row.operator, row.values);
    expect(passes(selector, { role: 'a' })).toBe(row.same);
    expect(passes(selector, { role: 'c' })).toBe(row.other);
    expect(passes(selector, {})).toBe(row.none);
  });

  it.each([undefined, {}, { matchLabels: {}, matchExpressions: [] }])('lets any pod through with %j', (selector) => {
    expect(passes(selector, {})).toBe(true);
    expect(passes(selector, { role: 'a' })).toBe(true);
  });

  it('wants every label and every expression', () => {
    const selector = {
      matchLabels: { app: 'vllm', tier: 'gpu' },
      matchExpressions: [
        { key: 'role', operator: 'In', values: ['decode'] },
        { key: 'drained', operator: 'DoesNotExist' },
      ],
    };
    const labels = { app: 'vllm', tier: 'gpu', role: 'decode' };
    expect(passes(selector, labels)).toBe(true);
    expect(passes(selector, { ...labels, tier: 'cpu' })).toBe(false);
    expect(passes(selector, { ...labels, role: 'prefill' })).toBe(false);
    expect(passes(selector, { ...labels, drained: '' })).toBe(false);
  });

  it('does not take what every object has for a label', () => {
    expect(passes({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, {})).toBe(false);
  });

  it.each([
    ['an operator that there is not', anExpression('Near', ['a'])],
    ['In without values', anExpression('In')],
    ['In with an empty list', anExpression('In', [])],
    ['NotIn without values', anExpression('NotIn')],
    ['Exists with values', anExpression('Exists', ['a'])],
    ['DoesNotExist with values', anExpression('DoesNotExist', ['a'])],
    ['an expression without a key', { matchExpressions: [{ operator: 'Exists' }] }],
    ['a field that it does not know', { matchNames: {} }],
    [
      'a field of an expression that it does not know',
      { matchExpressions: [{ key: 'a', operator: 'Exists', not: 1 }] },
    ],
    ['a value that is no text', { matchLabels: { a: 1 } }],
  ])('is not made with %s', (_what, selector) => {
    expect(labelSelector.safeParse(selector).success).toBe(false);
  });
});
