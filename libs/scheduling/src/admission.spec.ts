import { describe, expect, it } from '@jest/globals';
import { admit } from './admission.ts';
import { SchedulingError } from './scheduling.error.ts';
import { aCandidate } from './scheduling.fixture.ts';

const admitted = (priority: number, saturation: number) => (): void =>
  admit({ priority }, { saturation: () => saturation }, [aCandidate()]);

describe('admit', () => {
  it.each([
    [0, 0],
    [0, 1],
    [0, 7],
    [5, 7],
    [-1, 0],
    [-1, 0.99],
  ])('lets a request of priority %i pass at a saturation of %p', (priority, saturation) => {
    expect(admitted(priority, saturation)).not.toThrow();
  });

  it.each([1, 7])('sheds a request of negative priority at a saturation of %p', (saturation) => {
    expect(admitted(-1, saturation)).toThrow(
      new SchedulingError('ResourceExhausted', 'system saturated, sheddable request dropped', 'rejected-saturated'),
    );
  });
});
