import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { aRequest } from '../scheduling.fixture.ts';
import { LoadCounter } from './load-counter.ts';
import { RequestShares } from './request-shares.ts';

const FLOW = { fairnessId: 'default-flow', priority: 0 };

const MINUTE = 60_000;

/** Has whatever nobody refers to collected. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  // the flag makes it a global of new contexts
  const gc = runInNewContext('gc') as () => void;
  await nextTurn();
  gc();
}

describe('RequestShares', () => {
  it('lets go what a request that nobody has any more left behind', async () => {
    const counter = new LoadCounter();
    const shares = new RequestShares();
    shares.keep(aRequest(), [counter.take({ requests: 1, tokens: 5 }, FLOW)]);
    await collect();
    shares.sweep(performance.now() + MINUTE);
    expect(counter.requests).toBe(1);
    shares.sweep(performance.now() + 6 * MINUTE);
    expect({ requests: counter.requests, tokens: counter.tokens, kept: shares.size }).toEqual({
      requests: 0,
      tokens: 0,
      kept: 0,
    });
  });

  it('keeps those of a request that somebody has, however old it is', async () => {
    const counter = new LoadCounter();
    const shares = new RequestShares();
    const request = aRequest();
    shares.keep(request, [counter.take({ requests: 1, tokens: 5 }, FLOW)]);
    await collect();
    shares.sweep(performance.now() + 600 * MINUTE);
    expect(counter.requests).toBe(1);
    shares.forget(request);
    expect(shares.size).toBe(0);
  });
});
