import { describe, expect, it } from '@jest/globals';
import type { Scorer } from '../plugin.ts';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { aCandidate, aContext, aRequest } from '../scheduling.fixture.ts';
import type { CandidateTraits } from '../scheduling.fixture.ts';
import { ActiveRequestScorer } from './active-request.scorer.ts';
import { KvCacheUtilizationScorer } from './kv-cache-utilization.scorer.ts';
import { LoadAwareScorer } from './load-aware.scorer.ts';
import { QueueScorer, RunningRequestsScorer } from './queue.scorer.ts';

function scores(scorer: Scorer, pods: readonly CandidateTraits[]): readonly number[] {
  return scorer.score(aRequest(), pods.map(aCandidate));
}

describe.each([
  { type: 'queue-scorer', scorer: new QueueScorer(), figure: 'waiting' },
  { type: 'running-requests-size-scorer', scorer: new RunningRequestsScorer(), figure: 'running' },
])('$type', ({ scorer, figure }) => {
  it.each([
    { amounts: [0, 5, 10], expected: [1, 0.5, 0] },
    { amounts: [2, 4], expected: [1, 0] },
    { amounts: [7, 7, 7], expected: [1, 1, 1] },
    { amounts: [0, 0], expected: [1, 1] },
    { amounts: [undefined, 4], expected: [1, 0] },
    { amounts: [3], expected: [1] },
    { amounts: [], expected: [] },
  ])('scores $amounts with $expected', ({ amounts, expected }) => {
    expect(
      scores(
        scorer,
        amounts.map((amount) => ({ load: { [figure]: amount } })),
      ),
    ).toEqual(expected);
  });
});

describe('kv-cache-utilization-scorer', () => {
  it.each([
    [0, 1],
    [0.25, 0.75],
    [1, 0],
    [undefined, 1],
  ])('scores a usage of %p with %p', (kvUsage, expected) => {
    expect(scores(new KvCacheUtilizationScorer(), [{ load: { kvUsage } }])).toEqual([expected]);
  });
});

describe('load-aware-scorer', () => {
  it.each([
    { threshold: 128, waiting: 0, expected: 0.5 },
    { threshold: 128, waiting: undefined, expected: 0.5 },
    { threshold: 128, waiting: 64, expected: 0.25 },
    { threshold: 128, waiting: 128, expected: 0 },
    { threshold: 128, waiting: 1000, expected: 0 },
    { threshold: 10, waiting: 5, expected: 0.25 },
    { threshold: 0, waiting: 64, expected: 0.25 },
    { threshold: -1, waiting: 64, expected: 0.25 },
  ])('with a threshold of $threshold scores $waiting waiting with $expected', ({ threshold, waiting, expected }) => {
    expect(scores(new LoadAwareScorer({ threshold }), [{ load: { waiting } }])).toEqual([expected]);
  });
});

describe('active-request-scorer', () => {
  const BY_DEFAULT = { idleThreshold: 0, maxBusyScore: 1, inFlightLoadProducerName: '' };
  const busy = (...counts: readonly number[]): CandidateTraits[] =>
    counts.map((requests) => ({ inFlight: { requests, tokens: 0 } }));

  it.each([
    { given: {}, counts: [0, 0], expected: [1, 1] },
    { given: {}, counts: [0, 1, 2, 4], expected: [1, 0.75, 0.5, 0] },
    { given: { idleThreshold: 2 }, counts: [2, 3, 4], expected: [1, 0.25, 0] },
    { given: { idleThreshold: -5 }, counts: [0, 2], expected: [1, 0] },
    { given: { maxBusyScore: 0.5 }, counts: [0, 1, 2], expected: [1, 0.25, 0] },
    { given: { maxBusyScore: 0 }, counts: [0, 1, 2], expected: [1, 0, 0] },
    { given: { maxBusyScore: 2 }, counts: [1, 2], expected: [0.5, 0] },
  ])('with $given scores $counts in flight with $expected', ({ given, counts, expected }) => {
    expect(scores(new ActiveRequestScorer({ ...BY_DEFAULT, ...given }, aContext()), busy(...counts))).toEqual(expected);
  });

  it('takes an endpoint of which nothing is known for idle', () => {
    expect(scores(new ActiveRequestScorer(BY_DEFAULT, aContext()), [{}, ...busy(2)])).toEqual([1, 0]);
  });

  it('asks the producer that it is told', () => {
    const pod = aCandidate({ inFlight: { requests: 0, tokens: 0 } });
    pod.setInFlight('mine', { requests: 3, tokens: 0 });
    const scorer = new ActiveRequestScorer({ ...BY_DEFAULT, inFlightLoadProducerName: 'mine' }, aContext());
    expect(scorer.score(aRequest(), [pod])).toEqual([0]);
  });

  it.each([-0.1, 1.1])('says that a maxBusyScore of %p has no effect', (maxBusyScore) => {
    const warnings: string[] = [];
    new ActiveRequestScorer({ ...BY_DEFAULT, maxBusyScore }, aContext({ warnings }));
    expect(warnings).toEqual([`maxBusyScore ${maxBusyScore} is not between 0 and 1 and has no effect`]);
  });

  it('accepts requestTimeout, which has no effect', () => {
    expect(pluginMetadata(ActiveRequestScorer).parameters.safeParse({ requestTimeout: '1m' }).success).toBe(true);
  });
});
