import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Candidate } from './candidate.ts';
import { PluginFailure } from './plugin-failure.ts';
import type { Filter, Picker, Scorer } from './plugin.ts';
import { MaxScorePicker } from './pickers/max-score.picker.ts';
import { SchedulingError } from './scheduling.error.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import type { ProfileTrace, WeightedScorer } from './scheduling-profile.ts';
import { aCandidate, aRequest, namesOf } from './scheduling.fixture.ts';

const PODS = ['a', 'b', 'c'].map((name) => aCandidate({ name }));
const BEST: Picker = new MaxScorePicker({ maxNumOfEndpoints: 1 });

const without = (name: string): Filter => ({
  filter: (_request, all) => all.filter(({ endpoint }) => endpoint.name !== name),
});
const scoring = (name: string, weight: number, ...scores: readonly number[]): WeightedScorer => ({
  name,
  weight,
  plugin: { score: () => scores },
});

interface Parts {
  readonly filters?: readonly Filter[];
  readonly scorers?: readonly WeightedScorer[];
  readonly picker?: Picker;
}

function aProfile({ filters = [], scorers = [], picker = BEST }: Parts): SchedulingProfile {
  const named = filters.map((plugin, index) => ({ name: `filter-${index}`, plugin }));
  return new SchedulingProfile('decode', named, scorers, { name: 'picker', plugin: picker });
}

function totals(...scorers: readonly WeightedScorer[]): readonly number[] {
  return aProfile({ scorers })
    .run(aRequest(), PODS)
    .scored.map(({ total }) => total);
}

describe('SchedulingProfile', () => {
  it('filters one after the other, scores who is left, and picks', () => {
    const seen: (readonly string[])[] = [];
    const scorer: Scorer = {
      score: (_request, candidates) => {
        seen.push(namesOf(candidates));
        return candidates.map(({ endpoint }) => (endpoint.name === 'c' ? 1 : 0));
      },
    };
    const scorers = [{ name: 's', weight: 1, plugin: scorer }];
    const result = aProfile({ filters: [without('a')], scorers }).run(aRequest(), PODS);
    expect(seen).toEqual([['b', 'c']]);
    expect(namesOf(result.targets)).toEqual(['c']);
    expect(result.scored.map(({ total }) => total)).toEqual([0, 1]);
  });

  it('adds weight × score, and does not divide by the weights', () => {
    expect(totals(scoring('x', 2, 1, 0.5, 0), scoring('y', 3, 0, 0.5, 1))).toEqual([2, 2.5, 3]);
  });

  it('takes scores for 0 to 1, and those that are missing or no numbers for 0', () => {
    expect(totals(scoring('x', 1, 7, -7))).toEqual([1, 0, 0]);
    expect(totals(scoring('x', 1, NaN, Infinity, -Infinity))).toEqual([0, 1, 0]);
  });

  it('lets a negative weight count against an endpoint', () => {
    expect(totals(scoring('x', -1, 1, 0.5, 0))).toEqual([-1, -0.5, 0]);
  });

  it('stays between the sums of what weights can come to', () => {
    const score = fc.array(fc.double(), { minLength: 3, maxLength: 3 });
    const scorer = fc.record({ weight: fc.integer({ min: -9, max: 9 }), score });
    fc.assert(
      fc.property(fc.array(scorer), (given) => {
        const found = totals(...given.map(({ weight, score: of }, index) => scoring(`s${index}`, weight, ...of)));
        const least = given.reduce((sum, { weight }) => sum + Math.min(0, weight), 0);
        const most = given.reduce((sum, { weight }) => sum + Math.max(0, weight), 0);
        return found.every((total) => total >= least - 1e-9 && total <= most + 1e-9);
      }),
    );
  });

  it.each<[string, Parts]>([
    ['no candidate is left', { filters: ['a', 'b', 'c'].map(without) }],
    ['nobody is picked', { picker: { pick: () => [] } }],
  ])('refuses with 429 when %s', (_what, parts) => {
    expect(() => aProfile(parts).run(aRequest(), PODS)).toThrow(
      new SchedulingError('ResourceExhausted', 'no endpoints available for the given request', 'rejected-saturated'),
    );
  });

  it('asks no filter behind the one that left nobody', () => {
    const never: Filter = {
      filter: () => {
        throw new Error('asked');
      },
    };
    const run = (): unknown => aProfile({ filters: [{ filter: () => [] }, never] }).run(aRequest(), PODS);
    expect(run).toThrow(SchedulingError);
  });

  it('names the plugin that throws, and nothing of what it says', () => {
    const broken: Picker = {
      pick: () => {
        throw new Error('the prompt is: hello');
      },
    };
    expect(() => aProfile({ picker: broken }).run(aRequest(), PODS)).toThrow(PluginFailure);
    expect(() => aProfile({ picker: broken }).run(aRequest(), PODS)).toThrow(/^plugin picker failed$/);
  });

  it('leaves a typed error as it is', () => {
    const refusal = new SchedulingError('ServiceUnavailable', 'not here');
    const refusing: Filter = {
      filter: () => {
        throw refusal;
      },
    };
    expect(() => aProfile({ filters: [refusing] }).run(aRequest(), PODS)).toThrow(refusal);
  });

  it('tells a trace what each plugin did', () => {
    const said: unknown[] = [];
    const trace: ProfileTrace = {
      filtered: (filter, left) => said.push([filter, namesOf(left)]),
      scored: (scorer, weight, candidates: readonly Candidate[], scores) =>
        said.push([scorer, weight, namesOf(candidates), scores]),
      picked: (scored, targets) => said.push([scored.map(({ total }) => total), namesOf(targets)]),
    };
    aProfile({ filters: [without('a')], scorers: [scoring('x', 2, 0.5, 7)] }).run(aRequest(), PODS, trace);
    expect(said).toEqual([
      ['filter-0', ['b', 'c']],
      ['x', 2, ['b', 'c'], [0.5, 7]],
      [[1, 2], ['c']],
    ]);
  });
});
