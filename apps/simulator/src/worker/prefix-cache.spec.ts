import { describe, expect, it } from '@jest/globals';
import type { PlacedItem, RenderedPrompt } from '../render/rendered-prompt.ts';
import { PrefixCache } from './prefix-cache.ts';

const prompt = (length: number, first = 0, items: readonly PlacedItem[] = []): RenderedPrompt => ({
  tokenIds: Array.from({ length }, (_, i) => first + i),
  items,
});
const image = (hash: string, offset: number, length: number): PlacedItem => ({
  modality: 'image',
  hash,
  offset,
  length,
  grid: [1, 1, length],
});

describe('PrefixCache', () => {
  it.each([
    { held: 0, asked: 100, cached: 0 },
    { held: 15, asked: 100, cached: 0 },
    { held: 16, asked: 100, cached: 16 },
    { held: 84, asked: 100, cached: 80 },
    { held: 100, asked: 100, cached: 96 },
    { held: 100, asked: 40, cached: 32 },
  ])(
    'finds $cached tokens of a prompt of $asked after one of $held with the same beginning',
    ({ held, asked, cached }) => {
      const cache = new PrefixCache();
      cache.add(prompt(held));
      expect(cache.cachedTokens(prompt(asked))).toBe(cached);
    },
  );

  it('finds nothing behind a block that differs', () => {
    const cache = new PrefixCache();
    cache.add(prompt(64));
    const changed = prompt(64).tokenIds.with(20, 9999);
    expect(cache.cachedTokens({ tokenIds: changed, items: [] })).toBe(16);
  });

  it('tells prompts apart by the media behind equal placeholders', () => {
    const cache = new PrefixCache();
    cache.add(prompt(64, 0, [image('aa', 20, 4)]));
    expect(cache.cachedTokens(prompt(64, 0, [image('aa', 20, 4)]))).toBe(64);
    expect(cache.cachedTokens(prompt(64, 0, [image('bb', 20, 4)]))).toBe(16);
    expect(cache.cachedTokens(prompt(64))).toBe(16);
  });

  it('lets a medium that spans blocks count in each of them', () => {
    const cache = new PrefixCache();
    cache.add(prompt(48, 0, [image('aa', 4, 20)]));
    expect(cache.cachedTokens(prompt(48, 0, [image('bb', 4, 20)]))).toBe(0);
  });

  it('drops the least recently used prompt first, from its end', () => {
    const cache = new PrefixCache(6);
    cache.add(prompt(48, 0));
    cache.add(prompt(48, 1000));
    cache.cachedTokens(prompt(48, 0));
    cache.add(prompt(32, 2000));
    expect(cache.size).toBe(6);
    expect(cache.cachedTokens(prompt(48, 0))).toBe(48);
    expect(cache.cachedTokens(prompt(48, 1000))).toBe(16);
    expect(cache.cachedTokens(prompt(32, 2000))).toBe(32);
  });
});
