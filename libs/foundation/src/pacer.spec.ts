import { describe, expect, it } from '@jest/globals';
import { Pacer } from './pacer.ts';

/** Keeps the thread busy for so many milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Steps until a rest is due. */
function stepsUntilDue(pacer: Pacer): number {
  let steps = 1;
  while (!pacer.isDue()) steps++;
  return steps;
}

describe('Pacer', () => {
  it('looks at the clock once in 256 steps', () => {
    const pacer = new Pacer();
    work(6);
    expect(stepsUntilDue(pacer)).toBe(256);
    expect(stepsUntilDue(pacer)).toBe(256);
  });

  it('asks for no rest before a stretch of work is over', () => {
    const pacer = new Pacer();
    const begun = performance.now();
    stepsUntilDue(pacer);
    expect(performance.now() - begun).toBeGreaterThan(3.5);
  });

  it('begins a new stretch after a rest', async () => {
    const pacer = new Pacer();
    work(6);
    stepsUntilDue(pacer);
    await pacer.rest();
    const begun = performance.now();
    stepsUntilDue(pacer);
    expect(performance.now() - begun).toBeGreaterThan(3.5);
  });

  it('lets others have the event loop while it rests', async () => {
    let hadTurn = false;
    setImmediate(() => (hadTurn = true));
    await new Pacer().rest();
    expect(hadTurn).toBe(true);
  });
});
