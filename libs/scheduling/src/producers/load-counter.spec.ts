import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LoadCounter } from './load-counter.ts';

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
        const shares = all.map(({ calls, ...load }) => ({ share: counter.take(load), calls }));
        for (const { share, calls } of shares) {
          for (const isAll of calls) {
            if (isAll) share.releaseAll();
            else share.releaseTokens();
          }
        }
        for (const { share } of shares) share.releaseAll();
        expect([counter.requests, counter.tokens]).toEqual([0, 0]);
      }),
    );
  });
});
