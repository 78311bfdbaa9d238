import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Candidate, PrefixMatch } from '../candidate.ts';
import { PREFIX_PRODUCER } from '../default-producers.ts';
import { aCandidate, aContext, anEndpoint, aRequest, aResult } from '../scheduling.fixture.ts';
import type { CandidateTraits, RequestTraits } from '../scheduling.fixture.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { ApproxPrefixCacheProducer } from './approx-prefix-cache.producer.ts';
import { prefixProducerParams } from './prefix-producer.params.ts';

const NAMES = ['pod-a', 'pod-b', 'pod-c'];

class Bench {
  readonly warnings: string[] = [];
  readonly context = aContext({ name: PREFIX_PRODUCER, warnings: this.warnings });
  readonly producer: ApproxPrefixCacheProducer;

  constructor(params: object = { autoTune: false, blockSizeTokens: 4 }) {
    this.producer = new ApproxPrefixCacheProducer(prefixProducerParams.parse(params), this.context);
    this.present(...NAMES);
  }

  present(...names: string[]): void {
    this.context.endpoints.replace(names.map((name) => anEndpoint({ name })));
  }

  async candidates(request: SchedulingRequest, traits: CandidateTraits = {}): Promise<readonly Candidate[]> {
    const candidates = NAMES.map((name) => aCandidate({ name, ...traits }));
    await this.producer.produce(request, candidates);
    return candidates;
  }

  /** The request is sent to those, by profile. */
  async send(
    request: SchedulingRequest,
    to: Readonly<Record<string, string>>,
    traits: CandidateTraits = {},
  ): Promise<void> {
    const candidates = await this.candidates(request, traits);
    const targets: Record<string, readonly Candidate[]> = {};
    for (const [profile, name] of Object.entries(to)) {
      targets[profile] = candidates.filter(({ endpoint }) => endpoint.name === name);
    }
    this.producer.before(request, aResult(targets));
  }

  async matches(request: SchedulingRequest, traits?: CandidateTraits): Promise<(number | undefined)[]> {
    return (await this.matchesOf(request, traits)).map((match) => match?.matchedBlocks);
  }

  async matchesOf(request: SchedulingRequest, traits?: CandidateTraits): Promise<(PrefixMatch | undefined)[]> {
    return (await this.candidates(request, traits)).map((candidate) => candidate.prefixMatch(PREFIX_PRODUCER));
  }
}

/** Prompts of the ids from 1 to a count, or of those that are listed. */
function asking(prompts: readonly (number | readonly number[])[], given: RequestTraits = {}): SchedulingRequest {
  const made = prompts.map((prompt) => ({
    ids: Uint32Array.from(
      typeof prompt === 'number' ? Array.from({ length: prompt }, (_, index) => index + 1) : prompt,
    ),
    features: [],
  }));
  return aRequest({ ...given, parsed: { prompts: () => made, ...given.parsed } });
}

describe('approx-prefix-cache-producer', () => {
  it('knows a prompt where it was sent before, and as much of it as is shared', async () => {
    const bench = new Bench();
    await bench.send(asking([10]), { decode: 'pod-b' });
    expect(await bench.matchesOf(asking([10]))).toEqual([
      { matchedBlocks: 0, totalBlocks: 3, blockSize: 4 },
      { matchedBlocks: 3, totalBlocks: 3, blockSize: 4 },
      { matchedBlocks: 0, totalBlocks: 3, blockSize: 4 },
    ]);
    expect(await bench.matches(asking([100]))).toEqual([0, 2, 0]);
    expect(bench.producer.indexSize).toBe(3);
  });

  it.each([
    ['another model', asking([10], { targetModel: 'other' })],
    ['another salt', asking([10], { parsed: { cacheSalt: 'salt' } })],
    ['another beginning', asking([[9, 2, 3, 4, 5, 6, 7, 8]])],
  ])('takes a prompt with %s for another one', async (_, other) => {
    const bench = new Bench();
    await bench.send(asking([10]), { decode: 'pod-b' });
    expect(await bench.matches(other)).toEqual([0, 0, 0]);
  });

  it('adds up the prompts of a request, and leaves out empty ones', async () => {
    const bench = new Bench();
    await bench.send(asking([8]), { decode: 'pod-a' });
    const [match] = await bench.matchesOf(asking([8, 0, 4, [7]]));
    expect(match).toEqual({ matchedBlocks: 3, totalBlocks: 4, blockSize: 4 });
  });

  it('says nothing of a request without tokens', async () => {
    const bench = new Bench();
    const request = aRequest();
    await bench.send(request, { decode: 'pod-a' });
    expect(await bench.matches(request)).toEqual([undefined, undefined, undefined]);
  });

  it('records the first endpoint of the primary profile and of prefill, and no other', async () => {
    const bench = new Bench();
    await bench.send(asking([4]), { decode: 'pod-a', prefill: 'pod-b', encode: 'pod-c' });
    expect(await bench.matches(asking([4]))).toEqual([1, 1, 0]);
  });

  it('takes the profile that it is told for prefill', async () => {
    const bench = new Bench({ autoTune: false, blockSizeTokens: 4, prefillProfileName: 'p' });
    await bench.send(asking([4]), { decode: 'pod-a', prefill: 'pod-b', p: 'pod-c' });
    expect(await bench.matches(asking([4]))).toEqual([1, 0, 1]);
  });

  it('forgets endpoints that go, and does not record them any more', async () => {
    const bench = new Bench();
    await bench.send(asking([4]), { decode: 'pod-a' });
    bench.present('pod-b');
    await bench.send(asking([4]), { decode: 'pod-a' });
    bench.present(...NAMES);
    expect(await bench.matches(asking([4]))).toEqual([0, 0, 0]);
    await nextTurn();
    expect(bench.producer.indexSize).toBe(0);
  });

  it('holds no more than an endpoint does', async () => {
    const bench = new Bench({ autoTune: false, blockSizeTokens: 4, lruCapacityPerServer: 2 });
    await bench.send(asking([12]), { decode: 'pod-a' });
    expect(bench.producer.indexSize).toBe(2);
  });

  it('takes block size and capacity from what workers report', async () => {
    const bench = new Bench({});
    const reporting = { load: { blockSize: 128, blocks: 1 } };
    await bench.send(asking([256]), { decode: 'pod-a' }, reporting);
    const [match] = await bench.matchesOf(asking([256]), reporting);
    expect(match).toEqual({ matchedBlocks: 0, totalBlocks: 2, blockSize: 128 });
    expect(bench.producer.indexSize).toBe(1);
  });

  it.each([
    [{}, { blockSize: 16 }, 64],
    [{}, {}, 64],
    [{ minBlockSizeTokens: 0 }, { blockSize: 16 }, 16],
    [{ minBlockSizeTokens: 0 }, { blockSize: 0 }, 16],
    [{ autoTune: false, blockSizeTokens: 5 }, { blockSize: 16 }, 5],
  ])('with %j and %j has blocks of %i tokens', async (params, load, blockSize) => {
    const [match] = await new Bench(params).matchesOf(asking([100]), { load });
    expect(match?.blockSize).toBe(blockSize);
  });

  it('looks at the beginning of a long prompt only', async () => {
    const [match] = await new Bench({ maxPrefixTokensToMatch: 130 }).matchesOf(asking([1000]));
    expect(match?.totalBlocks).toBe(2);
  });

  it('warns of what is not as it is written', () => {
    expect(new Bench({ blockSize: 16 }).warnings).toEqual([
      'blockSize is deprecated: use blockSizeTokens',
      'blocks have 64 tokens at least: see minBlockSizeTokens',
    ]);
    expect(new Bench().warnings).toEqual([]);
  });
});
