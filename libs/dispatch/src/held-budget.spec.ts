import { describe, expect, it } from '@jest/globals';
import { HeldBudget } from './held-budget.ts';

const MEBIBYTE = 1024 * 1024;
const budget = (): HeldBudget => new HeldBudget({ concurrency: 3, max_bytes_in_flight: 100 });

describe('HeldBudget', () => {
  it('has room for so many messages', () => {
    const held = budget();
    expect(held.room()?.count).toBe(3);
    held.add(1);
    held.add(1);
    expect(held.room()?.count).toBe(1);
    held.add(1);
    expect(held.room()).toBeUndefined();
    held.remove(1);
    expect(held.room()?.count).toBe(1);
  });

  it('has room for so many bytes, and takes 32 MiB at once', () => {
    const held = budget();
    held.add(10 * MEBIBYTE);
    expect(held.room()).toEqual({ count: 2, bytes: 32 * MEBIBYTE, firstBytes: 90 * MEBIBYTE });
    held.add(80 * MEBIBYTE);
    expect(held.room()).toEqual({ count: 1, bytes: 10 * MEBIBYTE, firstBytes: 10 * MEBIBYTE });
    held.remove(80 * MEBIBYTE);
    held.add(90 * MEBIBYTE);
    expect(held.room()).toBeUndefined();
  });

  it('takes a message of any size when it holds nothing', () => {
    expect(budget().room()?.firstBytes).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('takes nothing more until there is room for a message that was too large', () => {
    const held = budget();
    held.add(60 * MEBIBYTE);
    held.wants(50 * MEBIBYTE);
    expect(held.room()).toBeUndefined();
    held.remove(60 * MEBIBYTE);
    expect(held.room()).toBeDefined();
  });
});
