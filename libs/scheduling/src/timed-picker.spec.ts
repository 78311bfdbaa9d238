import { describe, expect, it } from '@jest/globals';
import { Director } from './director.service.ts';
import { Calls, aParser, aRouted, keptLog } from './director.fixture.ts';
import { EndpointStore } from './endpoint.store.ts';
import { SingleProfileHandler } from './handlers/single-profile.handler.ts';
import type { PickerParts } from './picker-config/picker-parts.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { anEndpoint } from './scheduling.fixture.ts';
import { timedPicker } from './timed-picker.ts';

const failing = (): never => {
  throw new Error('it fails');
};

/** A picker with a plugin at each point, and what was timed. */
function timedDirector(parts: Partial<PickerParts> = {}): { director: Director; timed: string[] } {
  const timed: string[] = [];
  const calls = new Calls();
  const profile = new SchedulingProfile(
    'decode',
    [{ name: 'f', plugin: { filter: (_request, candidates) => candidates } }],
    [{ name: 's', weight: 1, plugin: { score: (_request, candidates) => candidates.map(() => 1) } }],
    { name: 'p', plugin: { pick: (scored) => scored.map(({ candidate }) => candidate) } },
  );
  const whole: PickerParts = {
    profiles: new Map([['decode', profile]]),
    handler: { name: 'h', plugin: new SingleProfileHandler() },
    parsers: [{ name: 'parser', plugin: aParser() }],
    screeners: [{ name: 'screener', plugin: { screen: (_request, candidates) => candidates } }],
    producers: [calls.producer('producer', () => Promise.resolve())],
    preRequests: [calls.preRequest('pre', 'record')],
    observers: [calls.observer('observer')],
    saturation: { saturation: () => 0 },
    discovery: undefined,
    plugins: [{ name: 's', type: 'some-scorer', plugin: { score: () => [] } }],
    ...parts,
  };
  const store = new EndpointStore();
  store.replace([anEndpoint()]);
  const timers = timedPicker(whole, (point, { name, type }) => (milliseconds) => {
    expect(milliseconds).toBeGreaterThanOrEqual(0);
    timed.push(`${point} ${name} ${type}`);
  });
  return { director: new Director(timers, store), timed };
}

describe('timedPicker', () => {
  it('times each call of each plugin, by its point, name and type', async () => {
    const { director, timed } = timedDirector();
    const decision = await director.route(aRouted());
    director.firstChunk(decision);
    director.ended(decision, 'natural');
    expect(timed).toEqual([
      'RequestParsing parser parser',
      'Screener screener screener',
      'DataProducer producer producer',
      'ProfilePicker h h',
      'Filter f f',
      'Scorer s some-scorer',
      'Picker p p',
      'ProfilePicker h h',
      'ProcessProfilesResults h h',
      'PreRequest pre pre',
      'ResponseStreaming observer observer',
      'ResponseStreaming observer observer',
    ]);
  });

  it.each([
    ['at once', failing],
    ['later', () => Promise.reject(new Error('it fails'))],
  ])('times a call that fails %s, and lets it fail', async (_, produce) => {
    keptLog();
    const { director, timed } = timedDirector({ producers: [new Calls().producer('fails', produce)] });
    await director.route(aRouted());
    expect(timed).toContain('DataProducer fails fails');
  });

  it('keeps the time that a producer may take, and what a plugin is told by', () => {
    const producer = new Calls().producer('slow', undefined, 7);
    const observer = { name: 'o', plugin: { ended: () => undefined } };
    const { director } = timedDirector({ producers: [producer], observers: [observer] });
    expect(director).toBeInstanceOf(Director);
    const parts = timedPicker(
      {
        profiles: new Map(),
        handler: { name: 'h', plugin: new SingleProfileHandler() },
        parsers: [{ name: 'parser', plugin: { ...aParser(), suffixes: ['/x'], appProtocols: ['http'] } }],
        screeners: [],
        producers: [producer],
        preRequests: [new Calls().preRequest('gate', 'gate')],
        observers: [observer],
        saturation: { saturation: () => 0 },
        discovery: undefined,
        plugins: [],
      },
      () => () => undefined,
    );
    expect(parts.producers[0]?.plugin.timeout).toBe(7);
    expect(parts.preRequests[0]?.plugin.stage).toBe('gate');
    expect(parts.parsers[0]?.plugin).toMatchObject({ suffixes: ['/x'], appProtocols: ['http'] });
    expect(Object.keys(parts.observers[0]?.plugin ?? {})).toEqual(['ended']);
  });
});
