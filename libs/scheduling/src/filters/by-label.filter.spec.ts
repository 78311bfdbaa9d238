import { describe, expect, it } from '@jest/globals';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { aCandidate, aRequest, namesOf } from '../scheduling.fixture.ts';
import { ByLabelFilter } from './by-label.filter.ts';

const PODS = [
  aCandidate({ name: 'listed', labels: { role: 'decode' } }),
  aCandidate({ name: 'other', labels: { role: 'prefill' } }),
  aCandidate({ name: 'none' }),
];

describe('by-label', () => {
  it.each([
    { validValues: ['decode'], allowsNoLabel: false, expected: ['listed'] },
    { validValues: ['decode'], allowsNoLabel: true, expected: ['listed', 'none'] },
    { validValues: [], allowsNoLabel: true, expected: ['none'] },
  ])('lets $expected through with $validValues and allowsNoLabel $allowsNoLabel', ({ expected, ...params }) => {
    const filter = new ByLabelFilter({ label: 'role', ...params });
    expect(namesOf(filter.filter(aRequest(), PODS))).toEqual(expected);
  });

  it.each([
    {},
    { label: '', validValues: ['a'] },
    { label: 'role' },
    { label: 'role', validValues: [] },
    { label: 'role', validValues: ['a'], key: 'role' },
  ])('is not made with %j', (parameters) => {
    expect(pluginMetadata(ByLabelFilter).parameters.safeParse(parameters).success).toBe(false);
  });
});
