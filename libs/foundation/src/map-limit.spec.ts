import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapLimit } from './map-limit.ts';

const NEVER = new AbortController().signal;

/** Settles when the signal aborts, as a call to an upstream does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(signal.reason as Error); // what the tests abort with are errors
    });
  });
}

describe('mapLimit', () => {
  it('gives results in the order of the items, whichever is done first', async () => {
    const turns = [3, 1, 2];
    const results = await mapLimit(turns, 3, NEVER, async (count, index) => {
      for (let turn = 0; turn < count; turn++) await nextTurn();
      return `${index}:${count}`;
    });
    expect(results).toEqual(['0:3', '1:1', '2:2']);
  });

  it.each([
    { items: 7, limit: 3, most: 3 },
    { items: 7, limit: 1, most: 1 },
    { items: 2, limit: 8, most: 2 },
  ])('has at most $most of $items in flight where the limit is $limit', async ({ items, limit, most }) => {
    let inFlight = 0;
    let peak = 0;
    await mapLimit(Array.from({ length: items }), limit, NEVER, async () => {
      peak = Math.max(peak, ++inFlight);
      await nextTurn();
      inFlight--;
    });
    expect(peak).toBe(most);
  });

  it('begins the next item as soon as one is done', async () => {
    const begun: number[] = [];
    const first = Promise.withResolvers<undefined>();
    const mapped = mapLimit([0, 1, 2, 3], 2, NEVER, async (item) => {
      begun.push(item);
      if (item === 0) await first.promise;
    });
    while (begun.length < 4) await nextTurn();
    first.resolve(undefined);
    await mapped;
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('gives nothing for nothing', async () => {
    expect(await mapLimit([], 4, NEVER, () => Promise.reject(new Error('called')))).toEqual([]);
  });

  it('throws the first failure, and aborts the signal of its siblings with it', async () => {
    const failure = new Error('item 1');
    const reasons: unknown[] = [];
    const mapped = mapLimit([0, 1, 2], 3, NEVER, async (item, _index, signal) => {
      if (item === 1) return nextTurn().then(() => Promise.reject(failure));
      await untilAborted(signal).catch(() => reasons.push(signal.reason));
    });
    await expect(mapped).rejects.toBe(failure);
    expect(reasons).toEqual([failure, failure]);
  });

  it('waits for the siblings of a failure to settle', async () => {
    let settled = false;
    const mapped = mapLimit([0, 1], 2, NEVER, async (item, _index, signal) => {
      if (item === 1) throw new Error('broken');
      await untilAborted(signal).catch(() => nextTurn());
      settled = true;
    });
    await expect(mapped).rejects.toThrow('broken');
    expect(settled).toBe(true);
  });

  it('never begins what was not begun when an item failed', async () => {
    const begun: number[] = [];
    const mapped = mapLimit([0, 1, 2, 3, 4], 2, NEVER, async (item) => {
      begun.push(item);
      await nextTurn();
      if (item === 0) throw new Error('broken');
    });
    await expect(mapped).rejects.toThrow('broken');
    expect(begun).toEqual([0, 1]);
  });

  it('throws what failed first where several fail', async () => {
    const mapped = mapLimit([2, 1], 2, NEVER, async (turns) => {
      for (let turn = 0; turn < turns; turn++) await nextTurn();
      throw new Error(`after ${turns}`);
    });
    await expect(mapped).rejects.toThrow('after 1');
  });

  it('passes an abort of the outer signal on, with its reason', async () => {
    const outer = new AbortController();
    const left = new Error('the client left');
    const mapped = mapLimit([0, 1, 2], 2, outer.signal, (_item, _index, signal) => untilAborted(signal));
    outer.abort(left);
    await expect(mapped).rejects.toBe(left);
  });

  it('begins nothing after the outer signal aborted, and throws its reason', async () => {
    const begun: number[] = [];
    const outer = new AbortController();
    const left = new Error('the client left');
    const mapped = mapLimit([0, 1, 2], 1, outer.signal, async (item) => {
      begun.push(item);
      outer.abort(left);
      await nextTurn();
    });
    await expect(mapped).rejects.toBe(left);
    expect(begun).toEqual([0]);
  });

  it('begins nothing where the outer signal was aborted before', async () => {
    let begun = 0;
    const mapped = mapLimit([0], 1, AbortSignal.abort(new Error('gone')), () => Promise.resolve(begun++));
    await expect(mapped).rejects.toThrow('gone');
    expect(begun).toBe(0);
  });

  it('leaves the outer signal alone when an item fails', async () => {
    const outer = new AbortController();
    await expect(mapLimit([0], 1, outer.signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(outer.signal.aborted).toBe(false);
  });
});
