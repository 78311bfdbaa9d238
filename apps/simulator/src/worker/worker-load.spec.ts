import { describe, expect, it } from '@jest/globals';
import { WorkerLoad } from './worker-load.ts';

const never = new AbortController().signal;

describe('WorkerLoad', () => {
  it('runs as many as it may, the others in order of arrival', async () => {
    const load = new WorkerLoad(2);
    const order: number[] = [];
    const doors = [0, 1, 2, 3].map(() => Promise.withResolvers<undefined>());
    const runs = doors.map((door, i) =>
      load.run(10, never, async () => {
        order.push(i);
        await door.promise;
      }),
    );
    await Promise.resolve();
    expect({ running: load.running, waiting: load.waiting }).toEqual({ running: 2, waiting: 2 });
    doors[1]?.resolve(undefined);
    await runs[1];
    await new Promise(setImmediate);
    expect(order).toEqual([0, 1, 2]);
    expect(load.tokens).toBe(20);
    for (const door of doors) door.resolve(undefined);
    await Promise.all(runs);
    expect(order).toEqual([0, 1, 2, 3]);
    expect({ running: load.running, waiting: load.waiting, tokens: load.tokens }).toEqual({
      running: 0,
      waiting: 0,
      tokens: 0,
    });
  });

  it('does not let a newcomer take the place of one that waits', async () => {
    const load = new WorkerLoad(1);
    const door = Promise.withResolvers<undefined>();
    let most = 0;
    const work = async (): Promise<void> => {
      most = Math.max(most, load.running);
      await Promise.resolve();
    };
    const first = load.run(1, never, () => door.promise);
    const second = load.run(1, never, work);
    door.resolve(undefined);
    const third = first.then(() => load.run(1, never, work));
    await Promise.all([second, third]);
    expect(most).toBe(1);
  });

  it('forgets a request whose caller left while it waited', async () => {
    const load = new WorkerLoad(1);
    const door = Promise.withResolvers<undefined>();
    const running = load.run(1, never, () => door.promise);
    const caller = new AbortController();
    const waiting = load.run(1, caller.signal, () => Promise.reject(new Error('must not run')));
    caller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    expect(load.waiting).toBe(0);
    door.resolve(undefined);
    await running;
    expect(load.running).toBe(0);
  });

  it('frees the place of work that failed', async () => {
    const load = new WorkerLoad(1);
    await expect(load.run(1, never, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(load.running).toBe(0);
  });
});
