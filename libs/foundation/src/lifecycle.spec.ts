import { describe, expect, it } from '@jest/globals';
import { Lifecycle } from './lifecycle.ts';
import type { InFlight, LifecyclePhase } from './lifecycle.ts';

class Served implements InFlight {
  brokenOff = 0;
  constructor(private readonly onBreakOff: (served: Served) => void = () => undefined) {}

  breakOff(): void {
    this.brokenOff++;
    this.onBreakOff(this);
  }
}

/** Whether the promise has settled by the end of this turn. */
async function isDone(promise: Promise<void>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, new Promise((resolve) => setImmediate(resolve, pending))])) !== pending;
}

describe('Lifecycle', () => {
  it.each<{ phase: LifecyclePhase; isReady: boolean; isClosing: boolean }>([
    { phase: 'starting', isReady: false, isClosing: false },
    { phase: 'serving', isReady: true, isClosing: false },
    { phase: 'draining', isReady: false, isClosing: false },
    { phase: 'closing', isReady: false, isClosing: true },
  ])('$phase: wants requests $isReady, refuses them $isClosing', ({ phase, isReady, isClosing }) => {
    const lifecycle = new Lifecycle();
    lifecycle.advance(phase);
    expect(lifecycle).toMatchObject({ phase, isReady, isClosing });
  });

  it('begins with the start', () => {
    expect(new Lifecycle().phase).toBe('starting');
  });

  it('never comes back to a phase that it left', () => {
    const lifecycle = new Lifecycle();
    lifecycle.advance('draining');
    lifecycle.advance('serving');
    expect(lifecycle.phase).toBe('draining');
    lifecycle.advance('closing');
    lifecycle.advance('draining');
    expect(lifecycle.phase).toBe('closing');
  });

  it('counts what is served, each once', () => {
    const lifecycle = new Lifecycle();
    const [first, second] = [new Served(), new Served()];
    lifecycle.begin(first);
    lifecycle.begin(first);
    lifecycle.begin(second);
    expect(lifecycle.inFlight).toBe(2);
    lifecycle.end(first);
    lifecycle.end(first);
    expect(lifecycle.inFlight).toBe(1);
  });

  it('is idle at once where nothing is served', async () => {
    expect(await isDone(new Lifecycle().idle())).toBe(true);
  });

  it('is idle for everybody who waits once the last request ends, and not before', async () => {
    const lifecycle = new Lifecycle();
    const [first, second] = [new Served(), new Served()];
    lifecycle.begin(first);
    lifecycle.begin(second);
    const waiting = [lifecycle.idle(), lifecycle.idle()];
    lifecycle.end(first);
    expect(await Promise.all(waiting.map(isDone))).toEqual([false, false]);
    lifecycle.end(second);
    expect(await Promise.all(waiting.map(isDone))).toEqual([true, true]);
  });

  it('breaks off what is left, and nothing that ended', () => {
    const lifecycle = new Lifecycle();
    const [ended, left, other] = [new Served(), new Served(), new Served()];
    for (const served of [ended, left, other]) lifecycle.begin(served);
    lifecycle.end(ended);
    lifecycle.breakOffAll();
    expect([ended, left, other].map(({ brokenOff }) => brokenOff)).toEqual([0, 1, 1]);
  });

  it('reaches each request although breaking one off ends it', async () => {
    const lifecycle = new Lifecycle();
    const requests = Array.from({ length: 5 }, () => new Served((served) => lifecycle.end(served)));
    for (const request of requests) lifecycle.begin(request);
    const idle = lifecycle.idle();
    lifecycle.breakOffAll();
    expect(requests.every(({ brokenOff }) => brokenOff === 1)).toBe(true);
    expect(await isDone(idle)).toBe(true);
  });
});
