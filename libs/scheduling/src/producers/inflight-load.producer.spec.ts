import { describe, expect, it } from '@jest/globals';
import { IN_FLIGHT_PRODUCER } from '../default-producers.ts';
import { aCandidate, aContext, aMatch, anEndpoint, aRequest, aResult } from '../scheduling.fixture.ts';
import type { CandidateTraits } from '../scheduling.fixture.ts';
import { InFlightLoadProducer } from './inflight-load.producer.ts';
import { inFlightParams } from './inflight-load.params.ts';

function bench(params: object = {}): { producer: InFlightLoadProducer; present: (...names: string[]) => void } {
  const context = aContext({ name: IN_FLIGHT_PRODUCER });
  const present = (...names: string[]): void => context.endpoints.replace(names.map((name) => anEndpoint({ name })));
  present('pod-a', 'pod-b');
  return { producer: new InFlightLoadProducer(inFlightParams.parse(params), context), present };
}

const decodeOn = (traits: CandidateTraits = {}): ReturnType<typeof aResult> =>
  aResult({ decode: [aCandidate({ name: 'pod-a', ...traits })] });
const bothStages = (): ReturnType<typeof aResult> =>
  aResult({ decode: [aCandidate({ name: 'pod-a' })], prefill: [aCandidate({ name: 'pod-b' })] });

const NOTHING = { requests: 0, tokens: 0 };

describe('inflight-load-producer', () => {
  it('says of each candidate what is on its way there', () => {
    const { producer } = bench();
    producer.before(aRequest({ tokens: 10 }), decodeOn());
    producer.before(aRequest({ tokens: 5 }), decodeOn());
    const candidates = [aCandidate({ name: 'pod-a' }), aCandidate({ name: 'pod-b' })];
    producer.produce(aRequest(), candidates);
    expect(candidates.map((candidate) => candidate.inFlight(IN_FLIGHT_PRODUCER))).toEqual([
      { requests: 2, tokens: 15 },
      NOTHING,
    ]);
  });

  it.each([
    ['nothing is known of the cache', {}, 100],
    ['some of it is cached', { match: aMatch(3, { totalBlocks: 10, blockSize: 10 }) }, 70],
    ['all of it is cached', { match: aMatch(10, { totalBlocks: 10, blockSize: 10 }) }, 0],
    ['more was sent than was looked at', { match: aMatch(2, { totalBlocks: 4, blockSize: 10 }) }, 80],
    ['the last block is a part of one', { match: aMatch(0, { totalBlocks: 2, blockSize: 64 }) }, 128],
  ])('counts the tokens to compute of 100 where %s', (_, traits, tokens) => {
    const { producer } = bench();
    producer.before(aRequest({ tokens: 100 }), decodeOn(traits));
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 1, tokens });
  });

  it.each([
    [{}, undefined, 25],
    [{ outputRatio: 0 }, undefined, 10],
    [{}, 3, 13],
    [{ maxEstimatedOutputTokens: 2 }, 3, 12],
  ])('with %j and a limit of %s counts the answer to 10 tokens in, %i in all', (params, maxTokens, tokens) => {
    const { producer } = bench({ addEstimatedOutputTokens: true, ...params });
    producer.before(aRequest({ tokens: 10, parsed: { maxTokens } }), decodeOn());
    expect(producer.inFlight('default/pod-a').tokens).toBe(tokens);
  });

  it('lets all of prefill go with the first bytes, and the tokens of the others', () => {
    const { producer } = bench();
    const request = aRequest({ tokens: 10 });
    producer.before(request, bothStages());
    expect(producer.inFlight('default/pod-b')).toEqual({ requests: 1, tokens: 10 });
    producer.firstChunk(request);
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 1, tokens: 0 });
    expect(producer.inFlight('default/pod-b')).toEqual(NOTHING);
  });

  it('keeps the tokens of an answer up to its end', () => {
    const { producer } = bench({ addEstimatedOutputTokens: true });
    const request = aRequest({ tokens: 10 });
    producer.before(request, bothStages());
    producer.firstChunk(request);
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 1, tokens: 25 });
    expect(producer.inFlight('default/pod-b')).toEqual(NOTHING);
  });

  it('lets everything go at the end, once', () => {
    const { producer } = bench();
    const [request, other] = [aRequest({ tokens: 10 }), aRequest({ tokens: 3 })];
    producer.before(request, bothStages());
    producer.before(other, bothStages());
    producer.firstChunk(request);
    producer.ended(request);
    producer.firstChunk(request);
    producer.ended(request);
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 1, tokens: 3 });
    expect(producer.inFlight('default/pod-b')).toEqual({ requests: 1, tokens: 3 });
  });

  it('counts two stages on one endpoint as two', () => {
    const { producer } = bench();
    const pod = aCandidate({ name: 'pod-a' });
    const request = aRequest({ tokens: 10 });
    producer.before(request, aResult({ decode: [pod], prefill: [pod] }));
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 2, tokens: 20 });
    producer.ended(request);
    expect(producer.inFlight('default/pod-a')).toEqual(NOTHING);
  });

  it('counts anew for an endpoint that comes again', () => {
    const { producer, present } = bench();
    const [before, after] = [aRequest({ tokens: 10 }), aRequest({ tokens: 3 })];
    producer.before(before, decodeOn());
    present('pod-b');
    present('pod-a', 'pod-b');
    producer.before(after, decodeOn());
    producer.ended(before);
    expect(producer.inFlight('default/pod-a')).toEqual({ requests: 1, tokens: 3 });
  });

  it('counts nothing of a request without an id', () => {
    const { producer } = bench();
    const request = aRequest({ id: '', tokens: 10 });
    producer.before(request, decodeOn());
    producer.ended(request);
    expect(producer.inFlight('default/pod-a')).toEqual(NOTHING);
  });

  it.each([{ outputRatio: -1 }, { maxEstimatedOutputTokens: -1 }, { other: 1 }])('is not made with %j', (params) => {
    expect(inFlightParams.safeParse(params).success).toBe(false);
  });
});
