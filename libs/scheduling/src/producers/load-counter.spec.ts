import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LoadCounter } from './load-counter.ts';

const FLOW = { fairnessId: 'default-flow', priority: 0 };

describe('LoadCounter', () => {
  it('is at 0 when everything was let go, in whatever order and however often', () => {
    const taken = fc.record({
      requests: fc.nat(),
      tokens: fc.nat(),
      calls: fc.array(fc.boolean()),
    });
    fc.assert(
      fc.property(fc.array(taken), (all) => {
        const counter = new LoadCounter();
        const shares = all.map(({ calls, ...load }) => ({ share: counter.take(load, FLOW), calls }));
        for (const { share, calls } of shares) {
          for (const isAll of calls) {
            if (isAll) share.releaseAll();
            else share.releaseTokens();
          }
        }
        for (const { share } of shares) share.releaseAll();
        expect([counter.requests, counter.tokens, [...counter.flows]]).toEqual([0, 0, []]);
      }),
    );
  });

  it('tells flows apart, and forgets one that has nothing left', () => {
    const counter = new LoadCounter();
    const one = counter.take({ requests: 1, tokens: 5 }, FLOW);
    counter.take({ requests: 1, tokens: 7 }, { fairnessId: 'tenant', priority: -1 });
    one.releaseTokens();
    expect([...counter.flows]).toEqual([
      { ...FLOW, requests: 1, tokens: 0 },
      { fairnessId: 'tenant', priority: -1, requests: 1, tokens: 7 },
    ]);
    one.releaseAll();
    expect([...counter.flows].map(({ fairnessId }) => fairnessId)).toEqual(['tenant']);
  });
});
