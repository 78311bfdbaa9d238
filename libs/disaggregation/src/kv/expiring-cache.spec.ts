import { describe, expect, it } from '@jest/globals';
import { ExpiringCache } from './expiring-cache.ts';

describe('ExpiringCache', () => {
  it('keeps a value for its lifetime', () => {
    let now = 0;
    const cache = new ExpiringCache<number>(2, 10, () => now);
    cache.set('a', 1);
    now = 9;
    expect(cache.get('a')).toBe(1);
    now = 10;
    expect(cache.get('a')).toBeUndefined();
  });

  it('begins a lifetime anew with each set, and not with a get', () => {
    let now = 0;
    const cache = new ExpiringCache<number>(2, 10, () => now);
    cache.set('a', 1);
    now = 9;
    cache.get('a');
    cache.set('b', 2);
    now = 11;
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 2]);
  });

  it('holds no more than its size, the last ones set', () => {
    const cache = new ExpiringCache<number>(2, 10, () => 0);
    for (const [index, key] of ['a', 'b', 'a', 'c'].entries()) cache.set(key, index);
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([2, undefined, 3]);
  });

  it('forgets what is deleted', () => {
    const cache = new ExpiringCache<number>(2, 10, () => 0);
    cache.set('a', 1);
    cache.delete('a');
    expect(cache.get('a')).toBeUndefined();
  });
});
