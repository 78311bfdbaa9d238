import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffBefore, verdictOf } from './retry-policy.ts';
import type { TryEnd } from './retry-policy.ts';

const SETTINGS = { max_attempts: 5, backoff: { initial: 1_000, max: 60_000 } };
const answer = (status: number, retryAfter?: number): TryEnd => ({
  kind: 'answer',
  status,
  body: Buffer.alloc(0),
  retryAfter,
});
const BROKEN: TryEnd = { kind: 'failure', failure: 'upstream_unreachable', isFinal: false };
const HOPELESS: TryEnd = { kind: 'failure', failure: 'upstream_invalid_answer', isFinal: true };
const HOUR = 3_600_000;

describe('verdictOf', () => {
  it.each([
    ['a success', answer(200), 1, HOUR, { kind: 'deliver' }],
    ['a fault of the client', answer(422), 1, HOUR, { kind: 'deliver' }],
    ['a success at the last try', answer(200), 5, 0, { kind: 'deliver' }],
    ['an overload', answer(429), 1, HOUR, { kind: 'retry', delay: 1_000 }],
    ['an overload that says for how long', answer(429, 10_000), 1, HOUR, { kind: 'retry', delay: 10_000 }],
    ['an overload that is shorter than the back-off', answer(503, 10), 3, HOUR, { kind: 'retry', delay: 4_000 }],
    ['an overload at the last try', answer(429), 5, HOUR, { kind: 'give_up' }],
    ['an overload at the last try, with no time left', answer(429), 5, 0, { kind: 'give_up' }],
    ['an overload, with no time for another try', answer(503, 10_000), 1, 10_000, { kind: 'deliver' }],
    ['no answer', BROKEN, 2, HOUR, { kind: 'retry', delay: 2_000 }],
    ['no answer at the last try', BROKEN, 5, HOUR, { kind: 'give_up' }],
    ['no answer, with no time for another try', BROKEN, 1, 1_000, { kind: 'expire' }],
    ['an answer that would be the same again', HOPELESS, 1, HOUR, { kind: 'fail' }],
  ] as const)('of %s', (_what, end, attempt, left, verdict) => {
    expect(verdictOf(end, { attempt, left }, SETTINGS, 1)).toEqual(verdict);
  });

  it('has no try before its time, nor behind the deadline', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 400, max: 599 }),
        fc.option(fc.nat(), { nil: undefined }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (status, asked, attempt, left, random) => {
          const verdict = verdictOf(answer(status, asked), { attempt, left }, SETTINGS, random);
          if (verdict.kind !== 'retry') return;
          expect(verdict.delay).toBeGreaterThanOrEqual(asked ?? 0);
          expect(verdict.delay).toBeLessThan(left);
        },
      ),
    );
  });
});

describe('backoffBefore', () => {
  it.each([
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [8, 60_000],
    [1_000, 60_000],
  ])('the try %i waits for half to all of %i ms', (attempt, most) => {
    expect(backoffBefore(attempt, SETTINGS.backoff, 0)).toBe(most / 2);
    expect(backoffBefore(attempt, SETTINGS.backoff, 1)).toBe(most);
  });
});
