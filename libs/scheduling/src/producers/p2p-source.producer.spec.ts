import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Candidate } from '../candidate.ts';
import { aCandidate, aContext, aMatch, aRequest, aResult } from '../scheduling.fixture.ts';
import { KV_CACHE_SOURCE, P2pSourceProducer } from './p2p-source.producer.ts';
import { sampleOf } from './request-sample.ts';

type Params = ConstructorParameters<typeof P2pSourceProducer>[0];

function producer(given: Partial<Params> = {}): P2pSourceProducer {
  const params = { prefixMatchInfoProducerName: '', minCachedTokenDelta: 1, prefillProfileName: 'prefill', ...given };
  return new P2pSourceProducer(params, aContext());
}

/** A pod that is called by its address, with so many blocks of 10 tokens cached. */
const pod = (address: string, blocks: number, waiting = 0): Candidate =>
  aCandidate({ name: address, address, load: { waiting }, match: aMatch(blocks, { totalBlocks: 10, blockSize: 10 }) });

interface Asked {
  readonly id?: string;
  readonly inbound?: string;
  readonly prefill?: Candidate;
  readonly params?: Partial<Params>;
}

/** The header of a request whose decode runs on the first pod. */
function source(pods: readonly [Candidate, ...Candidate[]], asked: Asked = {}): string | undefined {
  const { id = 'request-1', inbound, prefill, params } = asked;
  const request = aRequest({ id, headers: inbound === undefined ? {} : { [KV_CACHE_SOURCE]: inbound } });
  const plugin = producer(params);
  plugin.produce(request, pods);
  plugin.before(request, aResult({ decode: [pods[0]], ...(prefill === undefined ? {} : { prefill: [prefill] }) }));
  return request.headers.get(KV_CACHE_SOURCE);
}

describe('p2p-source-producer', () => {
  it('names the peer that has more of the prompt', () => {
    expect(source([pod('a', 0), pod('b', 5), pod('c', 2)])).toBe('b:8000');
  });

  it('names none where nobody has anything', () => {
    expect(source([pod('a', 0), pod('b', 0)])).toBeUndefined();
    expect(source([aCandidate(), aCandidate({ name: 'b' })])).toBeUndefined();
  });

  it('names none where the computing worker has the most', () => {
    expect(source([pod('a', 5), pod('b', 2)])).toBeUndefined();
  });

  it('goes by the prefill worker where there is one', () => {
    const [a, b] = [pod('a', 0), pod('b', 5)];
    expect(source([a, b], { prefill: b })).toBeUndefined();
    expect(source([b, a], { prefill: a })).toBe('b:8000');
  });

  it('never lets a client name one', () => {
    expect(source([pod('a', 5), pod('b', 0)], { inbound: '10.9.9.9:1' })).toBeUndefined();
  });

  it.each([
    [50, 'b:8000'],
    [51, undefined],
  ])('asks for a lead of %i tokens', (minCachedTokenDelta, expected) => {
    expect(source([pod('a', 0), pod('b', 5)], { params: { minCachedTokenDelta } })).toBe(expected);
  });

  it('takes peers within a block of the best one, the less busy more often, and the same for one request', () => {
    const pods: [Candidate, ...Candidate[]] = [pod('a', 0), pod('b', 5, 0), pod('c', 4, 3), pod('d', 3, 0)];
    const ids = Array.from({ length: 1000 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'));
    const chosen = ids.map((id) => source(pods, { id }));
    expect(ids.map((id) => source(pods, { id }))).toEqual(chosen);
    expect(new Set(chosen)).toEqual(new Set(['b:8000', 'c:8000']));
    // weights of 1 and 1/4
    expect(chosen.filter((peer) => peer === 'c:8000').length / 1000).toBeCloseTo(0.2, 1);
  });

  it.each([0, -3])('is not made with a lead of %i', (minCachedTokenDelta) => {
    expect(() => producer({ minCachedTokenDelta })).toThrow(
      `p2p-source-producer: minCachedTokenDelta must be >= 1, got ${minCachedTokenDelta}`,
    );
  });
});

describe('sampleOf', () => {
  // FNV-1a, 32 bits
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of %j is its hash as a part of 1', (id, hash) => {
    expect(sampleOf(id)).toBe(hash / 2 ** 32);
  });
});
