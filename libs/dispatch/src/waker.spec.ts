import { describe, expect, it } from '@jest/globals';
import { Waker } from './waker.ts';

const HOUR = 3_600_000;

describe('Waker', () => {
  it('ends a wait that goes on', async () => {
    const waker = new Waker();
    const waited = waker.wait(HOUR);
    waker.wake();
    await expect(waited).resolves.toBeUndefined();
  });

  it('ends the next wait when none goes on, and that one only', async () => {
    const waker = new Waker();
    waker.wake();
    await waker.wait(HOUR);
    const order: string[] = [];
    const second = waker.wait(1).then(() => order.push('waited'));
    order.push('begun');
    await second;
    expect(order).toEqual(['begun', 'waited']);
  });

  it('ends by itself at its limit', async () => {
    await expect(new Waker().wait(1)).resolves.toBeUndefined();
  });
});
