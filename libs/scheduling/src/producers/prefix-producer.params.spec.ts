import { describe, expect, it } from '@jest/globals';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { PrefixCacheScorer } from '../scorers/prefix-cache.scorer.ts';
import { prefixProducerParams, prefixSettings } from './prefix-producer.params.ts';
import type { PrefixSettings } from './prefix-producer.params.ts';

const settings = (given: object = {}): PrefixSettings => prefixSettings(prefixProducerParams.parse(given));

describe('prefixProducerParams', () => {
  it.each([
    { autoTune: false, blockSizeTokens: 0 },
    { autoTune: false, blockSizeTokens: -1 },
    { autoTune: false, blockSize: 0 },
    { maxPrefixTokensToMatch: -1 },
    { blockSizeToken: 5 },
  ])('refuses %j', (params) => {
    expect(prefixProducerParams.safeParse(params).success).toBe(false);
  });

  it.each([{}, undefined, { autoTune: true, blockSizeTokens: 0 }, { autoTune: false }])('accepts %j', (params) => {
    expect(prefixProducerParams.safeParse(params).success).toBe(true);
  });
});

describe('prefixSettings', () => {
  it.each([
    [{}, { blockSize: 16, minBlockSize: 64 }],
    [{ autoTune: false }, { blockSize: 16, minBlockSize: 64 }],
    [
      { autoTune: false, blockSizeTokens: 5 },
      { blockSize: 5, minBlockSize: 1 },
    ],
    [
      { autoTune: false, blockSizeTokens: 16 },
      { blockSize: 16, minBlockSize: 1 },
    ],
    [
      { autoTune: false, blockSize: 5 },
      { blockSize: 5, minBlockSize: 1 },
    ],
    [{ blockSize: 128 }, { blockSize: 128, minBlockSize: 64 }],
    [
      { blockSize: 128, blockSizeTokens: 16 },
      { blockSize: 128, minBlockSize: 64 },
    ],
    [
      { blockSize: 128, blockSizeTokens: 32 },
      { blockSize: 32, minBlockSize: 64 },
    ],
    [{ blockSizeTokens: 0 }, { blockSize: 16, minBlockSize: 64 }],
    [{ minBlockSizeTokens: 0 }, { blockSize: 16, minBlockSize: 0 }],
    [{ lruCapacityPerServer: 0 }, { capacity: 31_250 }],
    [{ lruCapacityPerServer: 10 }, { capacity: 10 }],
  ])('of %j has %j', (params, expected) => {
    expect(settings(params)).toMatchObject(expected);
  });

  it.each([
    [{}, 16, 8192],
    [{}, 100, 1310],
    [{ maxPrefixTokensToMatch: 100 }, 64, 1],
    [{ maxPrefixTokensToMatch: 0 }, 64, 2048],
    [{ maxPrefixTokensToMatch: 0, maxPrefixBlocksToMatch: 0 }, 64, Infinity],
    [{ maxPrefixBlocksToMatch: 256 }, 64, 256],
    [{ maxPrefixBlocksToMatch: 256, maxPrefixTokensToMatch: 640 }, 64, 10],
  ])('of %j looks at so many blocks of %i tokens: %i', (params, blockSize, blocks) => {
    expect(settings(params).maxBlocks(blockSize)).toBe(blocks);
  });
});

describe('prefix-cache-scorer', () => {
  // seed 002 has the producer's parameters on the scorer
  it.each([
    [
      { autoTune: false, blockSizeTokens: 5, maxPrefixBlocksToMatch: 256, lruCapacityPerServer: 31_250 },
      { autoTune: false, blockSizeTokens: 5, maxPrefixBlocksToMatch: 256, lruCapacityPerServer: 31_250 },
    ],
    [{ matchLengthWeight: 0.5, blockSizeTokens: 8 }, { blockSizeTokens: 8 }],
    [{ matchLengthWeight: 0.5 }, undefined],
    [{}, undefined],
  ])('with %j has the producer that is made for it made with %j', (given, expected) => {
    const { parameters, implies } = pluginMetadata(PrefixCacheScorer);
    expect(implies?.(parameters.parse(given))).toEqual(expected);
  });
});
