import { describe, expect, it } from '@jest/globals';
import type { Candidate } from '../candidate.ts';
import type { Decider, ProfileHandler, SchedulingResult } from '../plugin.ts';
import { Scheduler } from '../scheduler.service.ts';
import { SchedulingProfile } from '../scheduling-profile.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { aCandidate, aContext, aRequest, aResult, namesOf } from '../scheduling.fixture.ts';
import { DisaggHeadersHandler } from './disagg-headers.handler.ts';
import { DisaggProfileHandler } from './disagg-profile.handler.ts';
import { disaggParams } from './disagg-profile.params.ts';

const STAGES = ['encode', 'prefill', 'decode'] as const;
const ADDRESSES = { encode: '10.0.0.1', prefill: '10.0.0.2', decode: '10.0.0.3' };

/** Says what it is told to, and remembers for which endpoint it was asked. */
class Saying implements Decider {
  readonly asked: (string | undefined)[] = [];

  constructor(private readonly answer: boolean) {}

  disaggregate(_request: SchedulingRequest, chosen: Candidate | undefined): boolean {
    this.asked.push(chosen?.endpoint.name);
    return this.answer;
  }
}

interface Setting {
  /** Stages with pods; a pod is called like its stage. */
  readonly pods?: readonly string[];
  /** Profiles that are configured. */
  readonly profiles?: readonly string[];
  readonly prefill?: Decider;
  readonly encode?: Decider;
  readonly stageOrder?: string;
}

function handlerOf({ prefill, encode, stageOrder = 'decode-first' }: Setting): DisaggProfileHandler {
  const deciders = { ...(prefill && { prefill: 'pd' }), ...(encode && { encode: 'mm' }) };
  const plugins = { ...(prefill && { pd: prefill }), ...(encode && { mm: encode }) };
  return new DisaggProfileHandler(disaggParams.parse({ deciders, stageOrder }), aContext({ plugins }));
}

/** What a cycle comes to, and in which order the profiles were run. */
function cycle(
  setting: Setting,
  handler: ProfileHandler = handlerOf(setting),
): { result: SchedulingResult; order: string[] } {
  const { pods = STAGES, profiles = STAGES } = setting;
  const order: string[] = [];
  const built = profiles.map((name) => {
    const filter = (_request: SchedulingRequest, all: readonly Candidate[]): readonly Candidate[] => {
      order.push(name);
      return all.filter(({ endpoint }) => endpoint.name === name);
    };
    const picker = { pick: (scored: readonly { candidate: Candidate }[]) => scored.map(({ candidate }) => candidate) };
    const profile = new SchedulingProfile(name, [{ name: 'role', plugin: { filter } }], [], {
      name: 'all',
      plugin: picker,
    });
    return [name, profile] as const;
  });
  const candidates = STAGES.filter((name) => pods.includes(name)).map((name) =>
    aCandidate({ name, address: ADDRESSES[name] }),
  );
  // the scheduler asks for candidates of any kind, be there none of a stage
  const all = candidates.length > 0 ? candidates : [aCandidate({ name: 'other' })];
  return { result: new Scheduler(new Map(built), handler).schedule(aRequest(), all), order };
}

const YES = (): Decider => new Saying(true);
const NO = (): Decider => new Saying(false);
const PREFILLER = '10.0.0.2:8000';
const ENCODER = '10.0.0.1:8000';

describe('disagg-profile-handler', () => {
  it.each([
    { what: 'no deciders', setting: {}, decision: 'decode-only', prefiller: undefined, encoder: undefined },
    { what: 'deciders that say no', setting: { prefill: NO(), encode: NO() }, decision: 'decode-only' },
    { what: 'prefill', setting: { prefill: YES(), encode: NO() }, decision: 'prefill-decode', prefiller: PREFILLER },
    { what: 'encode', setting: { prefill: NO(), encode: YES() }, decision: 'encode-decode', encoder: ENCODER },
    {
      what: 'both',
      setting: { prefill: YES(), encode: YES() },
      decision: 'encode-prefill-decode',
      prefiller: PREFILLER,
      encoder: ENCODER,
    },
    {
      what: 'both, without a pod to encode',
      setting: { prefill: YES(), encode: YES(), pods: ['prefill', 'decode'] },
      decision: 'prefill-decode',
      prefiller: PREFILLER,
    },
    {
      what: 'both, without a pod to prefill',
      setting: { prefill: YES(), encode: YES(), pods: ['encode', 'decode'] },
      decision: 'encode-decode',
      encoder: ENCODER,
    },
    {
      what: 'both, without their profiles',
      setting: { prefill: YES(), encode: YES(), profiles: ['decode'] },
      decision: 'decode-only',
    },
  ])('with $what comes to $decision, and says so in headers', ({ setting, decision, prefiller, encoder }) => {
    const handler = handlerOf(setting);
    const { result } = cycle(setting, handler);
    const request = aRequest({ headers: { 'x-prefiller-host-port': 'evil:1', 'x-encoder-hosts-ports': 'evil:2' } });
    handler.before(request, result);
    expect(result.primary).toBe('decode');
    expect(handler.decisionOf(result)).toBe(decision);
    expect(request.headers.get('x-prefiller-host-port')).toBe(prefiller);
    expect(request.headers.get('x-encoder-hosts-ports')).toBe(encoder);
  });

  it.each([
    { what: 'all stages', setting: { prefill: YES(), encode: YES() }, order: ['decode', 'encode', 'prefill'] },
    { what: 'encode left out', setting: { prefill: YES(), encode: NO() }, order: ['decode', 'prefill'] },
    { what: 'prefill left out', setting: { prefill: NO(), encode: YES() }, order: ['decode', 'encode'] },
    {
      what: 'all stages',
      setting: { encode: YES(), stageOrder: 'prefill-first' },
      order: ['prefill', 'encode', 'decode'],
    },
    { what: 'encode left out', setting: { encode: NO(), stageOrder: 'prefill-first' }, order: ['prefill', 'decode'] },
    { what: 'no encode decider', setting: { stageOrder: 'prefill-first' }, order: ['prefill', 'decode'] },
    {
      what: 'no prefill profile',
      setting: { encode: YES(), stageOrder: 'prefill-first', profiles: ['encode', 'decode'] },
      order: ['encode', 'decode'],
    },
    {
      what: 'no pods to prefill',
      setting: { stageOrder: 'prefill-first', pods: ['decode'] },
      order: ['prefill', 'decode'],
    },
  ])('runs $order with $what', ({ setting, order }) => {
    expect(cycle(setting).order.filter((name, index, all) => all.indexOf(name) === index)).toEqual(order);
    expect(cycle(setting).order).toEqual(order);
  });

  it.each(['decode-first', 'prefill-first'])(
    'fails without a pod to decode, whatever the other stages, %s',
    (stageOrder) => {
      expect(() => cycle({ encode: YES(), stageOrder, pods: ['encode', 'prefill'] })).toThrow(
        expect.objectContaining({
          code: 'ResourceExhausted',
          droppedReason: 'rejected-saturated',
          message: 'failed to find available decode workers\nno endpoints available for the given request',
        }),
      );
    },
  );

  it('says that there is no profile to decode', () => {
    expect(() => cycle({ profiles: ['prefill'] })).toThrow(
      "failed to find available decode workers\nno scheduling profile is called 'decode'",
    );
  });

  it('asks each decider once, for the endpoint that decodes', () => {
    const [prefill, encode] = [new Saying(true), new Saying(false)];
    cycle({ prefill, encode });
    expect([prefill.asked, encode.asked]).toEqual([['decode'], ['decode']]);
  });

  it('asks the encode decider without an endpoint where prefill comes first', () => {
    const encode = new Saying(false);
    cycle({ encode, stageOrder: 'prefill-first' });
    expect(encode.asked).toEqual([undefined]);
  });

  it('names the first prefill pod, and all encode pods with IPv6 in brackets', () => {
    const pods = [
      aCandidate({ name: 'a', address: 'fd00::1' }),
      aCandidate({ name: 'b', address: '10.0.0.2', port: 9 }),
    ];
    const request = aRequest();
    handlerOf({}).before(request, aResult({ decode: [aCandidate()], prefill: pods, encode: pods }));
    expect(request.headers.get('x-prefiller-host-port')).toBe('[fd00::1]:8000');
    expect(request.headers.get('x-encoder-hosts-ports')).toBe('[fd00::1]:8000,10.0.0.2:9');
  });

  it('goes by the names of profiles that it is told', () => {
    const params = disaggParams.parse({ profiles: { decode: 'd', prefill: 'p' } });
    const handler = new DisaggProfileHandler(params, aContext());
    const request = aRequest();
    handler.before(request, aResult({ d: [aCandidate()], p: [aCandidate()] }));
    expect(handler.next(request, ['d', 'p'], new Map())).toEqual(['d']);
    expect(request.headers.get('x-prefiller-host-port')).toBe('10.0.0.1:8000');
  });

  it('is not made with a decider that decides nothing', () => {
    const plugins = { pd: { pick: () => namesOf([]).map(() => aCandidate()) } };
    const make = (): unknown =>
      new DisaggProfileHandler(disaggParams.parse({ deciders: { prefill: 'pd' } }), aContext({ plugins }));
    expect(make).toThrow('deciders.prefill plugin is no decider: pd');
  });
});

describe('disagg-headers-handler', () => {
  it('writes the same headers', () => {
    const handler = new DisaggHeadersHandler({ prefillProfile: 'p', encodeProfile: 'encode' });
    const request = aRequest({ headers: { 'x-encoder-hosts-ports': 'evil:2' } });
    handler.before(request, aResult({ decode: [aCandidate()], p: [aCandidate()] }));
    expect([...request.headers]).toEqual([['x-prefiller-host-port', '10.0.0.1:8000']]);
  });
});
