import { describe, expect, it } from '@jest/globals';
import { RedisClock } from './redis.clock.ts';

describe('RedisClock', () => {
  it('goes on from what Redis said, whatever the time is here', () => {
    const clock = new RedisClock();
    clock.set(1_000_000);
    const first = clock.now();
    expect(first).toBeGreaterThanOrEqual(1_000_000);
    expect(clock.now()).toBeGreaterThanOrEqual(first);
    expect(clock.now()).toBeLessThan(1_060_000);
  });

  it('is the time here until Redis says one', () => {
    expect(Math.abs(new RedisClock().now() - Date.now())).toBeLessThan(60_000);
  });
});
