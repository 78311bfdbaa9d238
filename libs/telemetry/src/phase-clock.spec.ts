import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PARTS } from './label-values.ts';
import type { Part } from './label-values.ts';
import { PhaseClock } from './phase-clock.ts';

/** What happens to a clock, and how long after what happened before. */
const step = fc.record({
  after: fc.double({ min: 0, max: 1000, noNaN: true }),
  what: fc.constantFrom('received', 'leave', 'stop', ...PARTS),
  of: fc.constantFrom(...PARTS),
});

function sumOf({ parts }: PhaseClock): number {
  return PARTS.reduce((sum, part) => sum + parts[part], 0);
}

/** The parts that took any time. */
function timesOf({ parts }: PhaseClock): Partial<Record<Part, number>> {
  return Object.fromEntries(Object.entries(parts).filter(([, time]) => time > 0));
}

describe('PhaseClock', () => {
  it('has parts that add up to the time from its start to its stop, whatever happens', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.array(step), (startedAt, steps) => {
        const clock = new PhaseClock(startedAt);
        let now = startedAt;
        let stoppedAt: number | undefined;
        for (const { after, what, of } of steps) {
          now += after;
          if (what === 'received') clock.received(now);
          else if (what === 'leave') clock.leave(of, now);
          else if (what === 'stop') clock.stop(now);
          else clock.enter(what, now);
          if (what === 'stop') stoppedAt ??= now;
        }
        now += 1;
        clock.stop(now);
        expect(clock.total).toBe((stoppedAt ?? now) - startedAt);
        expect(Math.abs(sumOf(clock) - clock.total)).toBeLessThan(1e-3);
        for (const part of PARTS) expect(clock.parts[part]).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('gives each phase its time, and itself what lies between them', () => {
    const clock = new PhaseClock(100);
    clock.received(110);
    clock.enter('render', 115);
    clock.leave('render', 135);
    clock.enter('prefill', 136);
    clock.leave('prefill', 176);
    clock.enter('decode', 180);
    clock.stop(260);
    expect(timesOf(clock)).toEqual({ receive: 10, coordinator: 5 + 1 + 4, render: 20, prefill: 40, decode: 80 });
    expect(clock.total).toBe(160);
  });

  it('counts calls beside each other once: the phase is over with its last one', () => {
    const clock = new PhaseClock(0);
    clock.received(0);
    for (const at of [10, 12, 14]) clock.enter('encode', at);
    for (const at of [20, 30, 44]) clock.leave('encode', at);
    clock.stop(50);
    expect(timesOf(clock)).toEqual({ coordinator: 10 + 6, encode: 34 });
  });

  it('gives the time of two phases at once to the one that began first, and what is left to the other', () => {
    const clock = new PhaseClock(0);
    clock.received(0);
    clock.enter('prefill', 10);
    clock.enter('decode', 11);
    clock.leave('prefill', 50);
    clock.stop(55);
    expect(timesOf(clock)).toEqual({ coordinator: 10, prefill: 40, decode: 5 });
  });

  it('stays in the phase that began first when the other is over before it', () => {
    const clock = new PhaseClock(0);
    clock.received(0);
    clock.enter('prefill', 0);
    clock.enter('decode', 1);
    clock.leave('decode', 20);
    clock.leave('prefill', 30);
    clock.stop(31);
    expect(timesOf(clock)).toEqual({ prefill: 30, coordinator: 1 });
  });

  it('gives all of its time to receive when the body never becomes a request', () => {
    const clock = new PhaseClock(5);
    clock.stop(25);
    expect(timesOf(clock)).toEqual({ receive: 20 });
  });

  it('stays in a phase that has begun when the body comes in late', () => {
    const clock = new PhaseClock(0);
    clock.enter('media', 1);
    clock.received(2);
    clock.stop(3);
    expect(timesOf(clock)).toEqual({ receive: 1, media: 2 });
  });

  it('does not move once it has stopped', () => {
    const clock = new PhaseClock(0);
    clock.enter('decode', 1);
    clock.stop(3);
    clock.leave('decode', 10);
    clock.enter('render', 11);
    clock.stop(20);
    expect([clock.total, timesOf(clock), clock.isStopped]).toEqual([3, { receive: 1, decode: 2 }, true]);
  });

  it('tells its time up to the last change while it runs', () => {
    const clock = new PhaseClock(10);
    clock.enter('render', 30);
    expect([clock.total, clock.isStopped]).toEqual([20, false]);
  });

  it('forgives a call that ends twice', () => {
    const clock = new PhaseClock(0);
    clock.enter('prefill', 0);
    clock.leave('prefill', 5);
    clock.leave('prefill', 6);
    clock.enter('decode', 7);
    clock.leave('decode', 9);
    clock.stop(10);
    expect(timesOf(clock)).toEqual({ prefill: 5, coordinator: 2 + 1, decode: 2 });
  });
});
