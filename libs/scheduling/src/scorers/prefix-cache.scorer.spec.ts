import { describe, expect, it } from '@jest/globals';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { aCandidate, aContext, aMatch, aRequest } from '../scheduling.fixture.ts';
import { PrefixCacheScorer } from './prefix-cache.scorer.ts';

type Params = ConstructorParameters<typeof PrefixCacheScorer>[0];

const BY_DEFAULT: Params = { prefixMatchInfoProducerName: '', matchLengthWeight: 0, matchLengthScaleTokens: 8192 };

function scorer(given: Partial<Params> = {}): PrefixCacheScorer {
  // the constructor may have the context as a second parameter, or may do without it
  return Reflect.construct(PrefixCacheScorer, [{ ...BY_DEFAULT, ...given }, aContext()]) as PrefixCacheScorer;
}

describe('prefix-cache-scorer', () => {
  it.each([
    { matched: 0, total: 10, expected: 0 },
    { matched: 5, total: 10, expected: 0.5 },
    { matched: 10, total: 10, expected: 1 },
    { matched: 0, total: 0, expected: 0 },
  ])('scores $matched of $total blocks with $expected', ({ matched, total, expected }) => {
    const pod = aCandidate({ match: aMatch(matched, { totalBlocks: total }) });
    expect(scorer().score(aRequest(), [pod])).toEqual([expected]);
  });

  it.each([
    { weight: 1, scale: 100, expected: 0.25 },
    { weight: 0.5, scale: 100, expected: 0.375 },
    { weight: 1, scale: 25, expected: 1 },
  ])('counts the length of a match with a weight of $weight and a scale of $scale', ({ weight, scale, expected }) => {
    const pod = aCandidate({ match: aMatch(5, { totalBlocks: 10, blockSize: 10 }) });
    const given = { matchLengthWeight: weight, matchLengthScaleTokens: scale };
    expect(scorer(given).score(aRequest(), [pod])).toEqual([expected]);
  });

  it('scores an endpoint of which nothing is known with 0', () => {
    expect(scorer().score(aRequest(), [aCandidate()])).toEqual([0]);
  });

  it('asks the producer that it is told', () => {
    const pod = aCandidate({ match: aMatch(1) });
    pod.setPrefixMatch('precise', aMatch(10));
    expect(scorer({ prefixMatchInfoProducerName: 'precise' }).score(aRequest(), [pod])).toEqual([1]);
  });

  it.each([
    { matchLengthWeight: -0.1 },
    { matchLengthWeight: 1.1 },
    { matchLengthWeight: 0.5, matchLengthScaleTokens: 0 },
    { blockSizeToken: 5 },
  ])('is not made with %j', (parameters) => {
    expect(pluginMetadata(PrefixCacheScorer).parameters.safeParse(parameters).success).toBe(false);
  });
});
