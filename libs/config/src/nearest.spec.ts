import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editDistance, nearest } from './nearest.ts';

describe('nearest', () => {
  it.each([
    ['listen_adr', ['listen_addr', 'metrics_port'], 'listen_addr'],
    ['adress', ['address', 'timeout'], 'address'],
    ['pipelines', ['server', 'gateway', 'pipeline'], 'pipeline'],
    ['time_out', ['timeout', 'address'], 'timeout'],
    ['max-paralel', ['max_parallel'], 'max_parallel'],
    ['MaxParallel', ['max_parallel'], 'max_parallel'],
    ['tiemout', ['timeout', 'tracing'], 'timeout'],
    ['rendr', ['render', 'encode'], 'render'],
    ['steps', ['step', 'stops'], 'step'],
  ])('takes %s for one of %j: %s', (word, candidates, meant) => {
    expect(nearest(word, candidates)).toBe(meant);
  });

  it.each([
    ['retries', ['timeout', 'address']],
    ['a', ['b']],
    ['', ['a', 'abc']],
    ['x', []],
    ['y'.repeat(10_000), ['y'.repeat(10_000)]],
  ])('has no idea what %s means', (word, candidates) => {
    expect(nearest(word, candidates)).toBeUndefined();
  });
});

describe('editDistance', () => {
  it.each([
    ['', '', 0],
    ['abc', '', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
  ])('from %j to %j is %d', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  it('is the same in both directions and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
