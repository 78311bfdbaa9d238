import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { boundedLookup, systemLookup } from './name-lookup.ts';
import type { Lookup } from './name-lookup.ts';

const ANSWER = [{ address: '192.0.2.1', family: 4 }];
const { signal } = new AbortController();

/** A resolver whose answers come when they are told to, and what it has been asked. */
function slowResolver(): { lookup: Lookup; asked: string[]; answer: (hostname: string) => void } {
  const open = new Map<string, () => void>();
  const asked: string[] = [];
  return {
    asked,
    answer: (hostname) => open.get(hostname)?.(),
    lookup: (hostname) => {
      asked.push(hostname);
      return new Promise((resolve) =>
        open.set(hostname, () => {
          resolve(ANSWER);
        }),
      );
    },
  };
}

describe('boundedLookup', () => {
  it('asks no more at a time than its limit, and the next when one is answered', async () => {
    const { lookup, asked, answer } = slowResolver();
    const bounded = boundedLookup(lookup, 2);
    const [first] = ['a', 'b', 'c', 'd'].map((name) => bounded(name, signal));
    await nextTurn();
    expect(asked).toEqual(['a', 'b']);
    answer('a');
    expect(await first).toBe(ANSWER);
    await nextTurn();
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  it('goes on after a failure', async () => {
    const bounded = boundedLookup(
      (name) => (name === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(ANSWER)),
      1,
    );
    const [bad, good] = [bounded('bad', signal), bounded('good', signal)];
    await expect(bad).rejects.toThrow('no');
    expect(await good).toBe(ANSWER);
  });

  it('does not ask for a caller that has left while it waited', async () => {
    const { lookup, asked, answer } = slowResolver();
    const bounded = boundedLookup(lookup, 1);
    const caller = new AbortController();
    void bounded('a', signal);
    const left = bounded('left', caller.signal);
    const last = bounded('last', signal);
    caller.abort(new Error('gone'));
    answer('a');
    await expect(left).rejects.toThrow('gone');
    await nextTurn();
    expect(asked).toEqual(['a', 'last']);
    answer('last');
    expect(await last).toBe(ANSWER);
  });
});

describe('systemLookup', () => {
  it('gives every address of a name', async () => {
    expect(await systemLookup('localhost', signal)).toContainEqual({ address: '127.0.0.1', family: 4 });
  });
});
