import { describe, expect, it } from '@jest/globals';
import { concludeWith } from './handlers/conclude.ts';
import type { Candidate } from './candidate.ts';
import type { ProfileHandler } from './plugin.ts';
import { Scheduler } from './scheduler.service.ts';
import { NoTargetError, SchedulingError } from './scheduling.error.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { aCandidate, aRequest, namesOf } from './scheduling.fixture.ts';

const PODS = ['a', 'b'].map((name) => aCandidate({ name }));

/** Asks for the profiles in turn; the first one is the primary one. */
function inTurn(...turns: readonly (readonly string[])[]): ProfileHandler {
  return {
    next: (_request, _profiles, results) => turns.find((turn) => turn.some((name) => !results.has(name))) ?? [],
    conclude: (_request, results, errors) => concludeWith(turns[0]?.[0] ?? '', results, errors, 'no primary'),
  };
}

/** A profile that chooses everybody, but does something first. */
function aProfile(
  name: string,
  first: (all: readonly Candidate[]) => readonly Candidate[],
): [string, SchedulingProfile] {
  const filter = { filter: (_request: unknown, all: readonly Candidate[]) => first(all) };
  const all = { pick: (scored: readonly { candidate: Candidate }[]) => scored.map(({ candidate }) => candidate) };
  return [
    name,
    new SchedulingProfile(name, [{ name: `${name}-filter`, plugin: filter }], [], { name: 'all', plugin: all }),
  ];
}

const nobody = (): readonly Candidate[] => [];
const everybody = (all: readonly Candidate[]): readonly Candidate[] => all;
const broken = (): never => {
  throw new TypeError('the prompt is: hello');
};

describe('Scheduler', () => {
  it('runs what the handler asks for, each over all candidates', () => {
    const seen: (readonly string[])[] = [];
    const first = (all: readonly Candidate[]): readonly Candidate[] => {
      seen.push(namesOf(all));
      return all.slice(0, 1);
    };
    const profiles = new Map([aProfile('decode', first), aProfile('prefill', first)]);
    const result = new Scheduler(profiles, inTurn(['decode'], ['prefill'])).schedule(aRequest(), PODS);
    expect(seen).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    expect([result.primary, [...result.profiles.keys()]]).toEqual(['decode', ['decode', 'prefill']]);
  });

  it('runs a profile once, however often the handler asks for it', () => {
    let runs = 0;
    const counted = aProfile('decode', (all) => {
      runs += 1;
      return all;
    });
    const insisting: ProfileHandler = { ...inTurn(['decode']), next: () => ['decode'] };
    new Scheduler(new Map([counted]), insisting).schedule(aRequest(), PODS);
    expect(runs).toBe(1);
  });

  it.each<[string, () => readonly Candidate[]]>([
    ['finds nobody', nobody],
    ['has a plugin that throws', broken],
  ])('goes on without a profile that %s', (_what, first) => {
    const profiles = new Map([aProfile('decode', everybody), aProfile('prefill', first)]);
    const result = new Scheduler(profiles, inTurn(['decode', 'prefill'])).schedule(aRequest(), PODS);
    expect([...result.profiles.keys()]).toEqual(['decode']);
  });

  it('fails with all errors by the names of their profiles, and the code of the first typed one', () => {
    const profiles = new Map([aProfile('z', nobody), aProfile('a', broken)]);
    const schedule = (): unknown => new Scheduler(profiles, inTurn(['z', 'a'])).schedule(aRequest(), PODS);
    const text = 'no primary\nplugin a-filter failed\nno endpoints available for the given request';
    expect(schedule).toThrow(new SchedulingError('ResourceExhausted', text, 'rejected-saturated'));
  });

  it('has no code where nothing has one', () => {
    const schedule = (): unknown =>
      new Scheduler(new Map([aProfile('a', broken)]), inTurn(['a'])).schedule(aRequest(), PODS);
    expect(schedule).toThrow(new NoTargetError('no primary\nplugin a-filter failed'));
  });

  it('says which profile there is not', () => {
    const schedule = (): unknown => new Scheduler(new Map(), inTurn(['decode'])).schedule(aRequest(), PODS);
    expect(schedule).toThrow(new NoTargetError("no primary\nno scheduling profile is called 'decode'"));
  });

  it('says that nothing was run', () => {
    const schedule = (): unknown => new Scheduler(new Map(), inTurn()).schedule(aRequest({ id: 'r-1' }), PODS);
    expect(schedule).toThrow(new NoTargetError('failed to run any scheduler profile for request r-1'));
  });

  it('tells of what failed, also when the cycle goes on', () => {
    const told: string[] = [];
    const profiles = new Map([aProfile('decode', everybody), aProfile('prefill', broken)]);
    const handler = inTurn(['decode', 'prefill']);
    new Scheduler(profiles, handler, ({ message }) => told.push(message)).schedule(aRequest(), PODS);
    expect(told).toEqual(['plugin prefill-filter failed']);
  });
});
