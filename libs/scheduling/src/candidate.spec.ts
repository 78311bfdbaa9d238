import { describe, expect, it } from '@jest/globals';
import { Candidate } from './candidate.ts';
import { EndpointStore } from './endpoint.store.ts';
import { aCandidate, aMatch, anEndpoint } from './scheduling.fixture.ts';

describe('Candidate', () => {
  it('sees the load as it was when the request came', () => {
    const store = new EndpointStore();
    const endpoint = anEndpoint();
    store.replace([endpoint]);
    store.observe(endpoint, { waiting: 1 });
    const candidates = store.all().map((state) => new Candidate(state));
    store.observe(endpoint, { waiting: 9 });
    expect(candidates.map(({ load }) => load.waiting)).toEqual([1]);
  });

  it('keeps what producers found apart by their names', () => {
    const candidate = aCandidate();
    candidate.setPrefixMatch('one', aMatch(1));
    candidate.setInFlight('two', { requests: 2, tokens: 20 });
    expect(candidate.prefixMatch('one')).toEqual(aMatch(1));
    expect(candidate.prefixMatch('two')).toBeUndefined();
    expect(candidate.inFlight('two')).toEqual({ requests: 2, tokens: 20 });
    expect(candidate.inFlight('one')).toBeUndefined();
  });
});
