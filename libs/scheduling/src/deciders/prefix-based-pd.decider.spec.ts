import { describe, expect, it } from '@jest/globals';
import type { SchedulingResult } from '../plugin.ts';
import { GATED, NOT_CACHED } from '../prefer.ts';
import { SchedulingError } from '../scheduling.error.ts';
import { pluginMetadata } from '../scheduling-plugin.decorator.ts';
import { aCandidate, aContext, aMatch, aRequest, aResult } from '../scheduling.fixture.ts';
import type { RequestTraits } from '../scheduling.fixture.ts';
import { PrefixBasedDecider } from './prefix-based-pd.decider.ts';

function decider(nonCachedTokens: number, promptTokens = 0, prefixMatchInfoProducerName = ''): PrefixBasedDecider {
  return new PrefixBasedDecider({ nonCachedTokens, promptTokens, prefixMatchInfoProducerName }, aContext());
}

const CACHED = (blocks: number, blockSize = 1) => aCandidate({ match: aMatch(blocks, { blockSize }) });

describe('prefix-based-pd-decider', () => {
  it.each([
    { input: 10, cached: 5, nonCached: 0, prompt: 0, expected: false },
    { input: 10, cached: 0, nonCached: 5, prompt: 20, expected: false },
    { input: 10, cached: 0, nonCached: 20, prompt: 0, expected: false },
    { input: 10, cached: 5, nonCached: 5, prompt: 10, expected: true },
    { input: 10, cached: 8, nonCached: 5, prompt: 0, expected: false },
    { input: 10, cached: 5, nonCached: 5, prompt: 0, expected: true },
    { input: 10, cached: 2, nonCached: 3, prompt: 0, expected: true },
    { input: 10, cached: 10, nonCached: 1, prompt: 0, expected: false },
    { input: 10, cached: 0, nonCached: 5, prompt: 0, expected: true },
    { input: 4096, cached: 240, blockSize: 16, nonCached: 512, prompt: 0, expected: false },
    { input: 4096, cached: 192, blockSize: 16, nonCached: 512, prompt: 0, expected: true },
    { input: 10, cached: 3, blockSize: 4, nonCached: 1, prompt: 0, expected: false },
  ])(
    'of $input tokens, $cached blocks cached: $expected with nonCachedTokens $nonCached and promptTokens $prompt',
    ({ input, cached, blockSize, nonCached, prompt, expected }) => {
      const request = aRequest({ tokens: input });
      expect(decider(nonCached, prompt).disaggregate(request, CACHED(cached, blockSize))).toBe(expected);
    },
  );

  it.each([0, 5])('says no without an endpoint, with nonCachedTokens %i', (nonCached) => {
    expect(decider(nonCached).disaggregate(aRequest({ tokens: 10 }), undefined)).toBe(false);
  });

  it('says no of an endpoint of which nothing is known', () => {
    expect(decider(5).disaggregate(aRequest({ tokens: 100 }), aCandidate())).toBe(false);
  });

  it('says no of a prompt without tokens', () => {
    expect(decider(5).disaggregate(aRequest(), CACHED(0))).toBe(false);
  });

  it('counts the tokens of all prompts', () => {
    const prompt = { ids: new Uint32Array(3), features: [] };
    const request = aRequest({ parsed: { prompts: () => [prompt, prompt] } });
    expect(decider(6).disaggregate(request, CACHED(0))).toBe(true);
    expect(decider(7).disaggregate(request, CACHED(0))).toBe(false);
  });

  it('asks the producer that it is told', () => {
    const pod = CACHED(10);
    pod.setPrefixMatch('precise', aMatch(0));
    expect(decider(5, 0, 'precise').disaggregate(aRequest({ tokens: 10 }), pod)).toBe(true);
  });

  it('stays by what it said of an endpoint, and judges another one anew', () => {
    const request = aRequest({ tokens: 10 });
    const pod = CACHED(0);
    const asked = decider(5);
    expect(asked.disaggregate(request, pod)).toBe(true);
    pod.setPrefixMatch('approx-prefix-cache-producer', aMatch(10));
    expect(asked.disaggregate(request, pod)).toBe(true);
    expect(asked.disaggregate(request, CACHED(10))).toBe(false);
  });

  it.each(['nonCachedTokens', 'promptTokens'])('is not made with a negative %s', (name) => {
    const parsed = pluginMetadata(PrefixBasedDecider).parameters.safeParse({ [name]: -1 });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      `${name} parameter of prefix disaggregation decider cannot be negative`,
    ]);
  });
});

/** What the gate does with a conditional request, or with another one. */
function passed(gate: PrefixBasedDecider, result: SchedulingResult, traits: RequestTraits = {}): string {
  const request = aRequest({ tokens: 10, headers: { prefer: 'if-available' }, ...traits });
  try {
    gate.before(request, result);
    return GATED.of(request) === true ? 'forward' : 'not looked at';
  } catch (error) {
    expect(error).toEqual(new SchedulingError('PreconditionFailed', NOT_CACHED));
    expect(GATED.of(request)).toBe(true);
    return '412';
  }
}

describe('the gate of conditional decode', () => {
  it.each([
    { nonCached: 5, prompt: 0, cached: 8, expected: 'forward' },
    { nonCached: 5, prompt: 0, cached: 5, expected: '412' },
    { nonCached: 5, prompt: 0, cached: 0, expected: '412' },
    { nonCached: 3, prompt: 0, cached: 2, expected: '412' },
    { nonCached: 5, prompt: 100, cached: 0, expected: 'forward' },
    { nonCached: 5, prompt: 10, cached: 0, expected: '412' },
    { nonCached: 0, prompt: 0, cached: 0, expected: 'forward' },
    { nonCached: 20, prompt: 0, cached: 0, expected: 'forward' },
  ])('nonCachedTokens $nonCached, promptTokens $prompt, $cached of 10 cached: $expected', (row) => {
    expect(passed(decider(row.nonCached, row.prompt), aResult({ decode: [CACHED(row.cached)] }))).toBe(row.expected);
  });

  it.each([
    { tokens: 100, cached: 0, expected: '412' },
    { tokens: 100, cached: 84, expected: '412' },
    { tokens: 100, cached: 85, expected: 'forward' },
    { tokens: 100, cached: 100, expected: 'forward' },
    { tokens: 7, cached: 0, expected: 'forward' },
  ])('at 16 tokens not cached, $cached of $tokens cached: $expected', ({ tokens, cached, expected }) => {
    expect(passed(decider(16, 8), aResult({ decode: [CACHED(cached)] }), { tokens })).toBe(expected);
  });

  it('forwards where nothing is known of the endpoint', () => {
    expect(passed(decider(5), aResult({ decode: [aCandidate()] }))).toBe('forward');
  });

  it('forwards a prompt without tokens', () => {
    expect(passed(decider(5), aResult({ decode: [CACHED(0)] }), { tokens: 0 })).toBe('forward');
  });

  it.each<[string, SchedulingResult]>([
    ['no result', { primary: '', profiles: new Map() }],
    ['a primary profile that is not there', { primary: 'other', profiles: aResult({ decode: [CACHED(10)] }).profiles }],
    ['no target', aResult({ decode: [] })],
  ])('refuses with %s', (_what, result) => {
    expect(passed(decider(5), result)).toBe('412');
  });

  it('looks at the first target of the primary profile alone', () => {
    const result = aResult({ decode: [CACHED(10), CACHED(0)], prefill: [CACHED(0)] });
    expect(passed(decider(5), result)).toBe('forward');
  });

  it.each([undefined, 'return=minimal', 'if-available-but-different'])('does nothing with Prefer: %s', (prefer) => {
    const headers: Record<string, string> = prefer === undefined ? {} : { prefer };
    expect(passed(decider(5), aResult({ decode: [CACHED(0)] }), { headers })).toBe('not looked at');
  });
});
