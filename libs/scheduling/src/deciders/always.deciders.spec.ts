import { describe, expect, it } from '@jest/globals';
import { aRequest } from '../scheduling.fixture.ts';
import { AlwaysDecider, MultimodalDecider } from './always.deciders.ts';

describe('always-disagg-pd-decider', () => {
  it('says yes to any request', () => {
    expect(new AlwaysDecider().disaggregate()).toBe(true);
  });
});

describe('always-disagg-multimodal-decider', () => {
  it.each([true, false])('says %p to a request whose media are there: %p', (hasMedia) => {
    expect(new MultimodalDecider().disaggregate(aRequest({ parsed: { hasMedia } }))).toBe(hasMedia);
  });
});
