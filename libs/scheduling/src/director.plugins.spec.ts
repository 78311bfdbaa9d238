import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DecisionLog } from './decision-log.ts';
import { Calls, aDirector, aRouted, keptLog } from './director.fixture.ts';
import { SingleProfileHandler } from './handlers/single-profile.handler.ts';
import type { ProfileHandler } from './plugin.ts';
import { GATED, NO_GATE } from './prefer.ts';
import { SchedulingError } from './scheduling.error.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { aProfileResult } from './scheduling.fixture.ts';

const SECRET = 'the prompt is: hello';
const leaking = (): never => {
  throw new TypeError(SECRET);
};
const refusing = (): never => {
  throw new SchedulingError('PreconditionFailed', 'cold');
};

let logged: readonly unknown[] = [];

beforeEach(() => {
  logged = keptLog();
});

afterEach(() => {
  expect(JSON.stringify(logged)).not.toContain(SECRET);
});

describe('Director: producers', () => {
  it('asks them one after the other, and goes on where one fails', async () => {
    const called = new Calls();
    const producers = [
      called.producer('one', leaking),
      called.producer('two', () => Promise.reject(new TypeError(SECRET))),
      called.producer('refusing', refusing),
      called.producer('late', () => new Promise(() => undefined), 1),
      called.producer('last'),
    ];
    await aDirector({ parts: { producers } }).route(aRouted());
    expect(called.calls).toEqual(['one', 'two', 'refusing', 'late', 'last']);
    expect(logged).toMatchObject([
      { plugin: 'one', kind: 'TypeError' },
      { plugin: 'two', kind: 'TypeError' },
      { plugin: 'refusing', kind: 'SchedulingError' },
      { plugin: 'late', kind: 'TimeLimitError' },
    ]);
  });

  it('tells one that its time is over', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const late = (_request: unknown, _all: unknown, signal?: AbortSignal): Promise<void> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    await aDirector({ parts: { producers: [new Calls().producer('late', late, 1)] } }).route(aRouted());
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
  });

  it('waits for none when the client has gone', async () => {
    const called = new Calls();
    const gone = new AbortController();
    const slow = called.producer('slow', () => new Promise(() => undefined), 60_000);
    const routing = aDirector({ parts: { producers: [slow] } }).route(aRouted({ signal: gone.signal }));
    gone.abort();
    await expect(routing).resolves.toMatchObject({ destination: '10.0.0.1:8000' });
  });
});

describe('Director: scheduling', () => {
  const handled = (handler: Partial<ProfileHandler>): { handler: { name: string; plugin: ProfileHandler } } => {
    const single = new SingleProfileHandler();
    const next: ProfileHandler['next'] = (...given) => single.next(...given);
    const conclude: ProfileHandler['conclude'] = (...given) => single.conclude(...given);
    return { handler: { name: 'handler', plugin: { next, conclude, ...handler } } };
  };

  it('keeps the code of a typed error', async () => {
    await expect(aDirector({ parts: handled({ next: refusing }) }).route(aRouted())).rejects.toMatchObject({
      code: 'PreconditionFailed',
      message: 'cold',
    });
  });

  it.each([
    ['throws in a profile', { profiles: broken() }, "failed to run scheduler profile 'decode'\nplugin filter failed"],
    ['throws in its handler', handled({ next: leaking }), 'plugin handler failed'],
    ['runs nothing', handled({ next: () => [] }), 'failed to run any scheduler profile for request request-1'],
  ])('answers 429 where a plugin %s', async (_what, parts, reason) => {
    await expect(aDirector({ parts }).route(aRouted())).rejects.toEqual(
      new SchedulingError('ResourceExhausted', `failed to find target endpoint: ${reason}`),
    );
  });

  it('answers 500 for a result without a target', async () => {
    const conclude = () => ({ primary: 'decode', profiles: new Map([['decode', aProfileResult([])]]) });
    await expect(aDirector({ parts: handled({ conclude }) }).route(aRouted())).rejects.toEqual(
      new SchedulingError('Internal', 'results must be greater than zero'),
    );
  });

  it('keeps decisions and refusals, where there is a log', async () => {
    const log = new DecisionLog();
    await aDirector({ log }).route(aRouted({ id: 'r-1' }));
    await expect(aDirector({ log, parts: { profiles: broken() } }).route(aRouted({ id: 'r-2' }))).rejects.toThrow();
    expect(log.records()).toMatchObject([
      { requestId: 'r-2', primary: undefined, refusal: 'ResourceExhausted' },
      { requestId: 'r-1', primary: 'decode', profiles: [{ picked: ['default/pod-a'] }] },
    ]);
  });
});

describe('Director: before a request goes out', () => {
  const CONDITIONAL = aRouted({ headers: { prefer: 'if-available' } });

  it('asks gates, then whoever writes headers, then whoever records', async () => {
    const called = new Calls();
    const preRequests = [
      called.preRequest('gate', 'gate'),
      called.preRequest('headers', 'headers'),
      called.preRequest('record', 'record'),
    ];
    await aDirector({ parts: { preRequests } }).route(aRouted());
    expect(called.calls).toEqual(['gate', 'headers', 'record']);
  });

  it('asks nobody behind a gate that turns the request away', async () => {
    const called = new Calls();
    const preRequests = [
      called.preRequest('gate', 'gate', refusing),
      called.preRequest('gate-2', 'gate'),
      called.preRequest('record', 'record'),
    ];
    const observers = [called.observer('observer')];
    await expect(aDirector({ parts: { preRequests, observers } }).route(aRouted())).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    expect(called.calls).toEqual(['gate']);
  });

  it('shows in the log of decisions that a gate turned a request away, and where it would have gone', async () => {
    const log = new DecisionLog();
    const preRequests = [new Calls().preRequest('gate', 'gate', refusing)];
    await expect(aDirector({ parts: { preRequests }, log }).route(aRouted())).rejects.toThrow();
    expect(log.records()).toMatchObject([{ primary: 'decode', refusal: 'PreconditionFailed' }]);
  });

  it('answers 412 to a conditional request that no gate looked at, and records nothing of it', async () => {
    const called = new Calls();
    const preRequests = [called.preRequest('record', 'record')];
    await expect(aDirector({ parts: { preRequests } }).route(CONDITIONAL)).rejects.toEqual(
      new SchedulingError('PreconditionFailed', NO_GATE),
    );
    expect(called.calls).toEqual([]);
  });

  it('lets a conditional request through that a gate looked at', async () => {
    const gate = new Calls().preRequest('gate', 'gate', (request) => GATED.set(request, true));
    await expect(aDirector({ parts: { preRequests: [gate] } }).route(CONDITIONAL)).resolves.toMatchObject({
      destination: '10.0.0.1:8000',
    });
  });

  it('lets any other request through without a gate', async () => {
    await expect(aDirector().route(aRouted({ headers: { prefer: 'return=minimal' } }))).resolves.toMatchObject({
      destination: '10.0.0.1:8000',
    });
  });

  it.each([
    { throwing: [refusing], expected: { code: 'PreconditionFailed', message: 'cold' } },
    { throwing: [leaking], expected: { code: 'Internal', message: 'plugin p0 failed' } },
    { throwing: [leaking, refusing], expected: { code: 'Internal', message: 'plugin p0 failed\ncold' } },
  ])(
    'runs all others when some throw, takes back what they recorded, and says $expected',
    async ({ throwing, expected }) => {
      const called = new Calls();
      const preRequests = [
        ...throwing.map((then, index) => called.preRequest(`p${index}`, 'record', then)),
        called.preRequest('last', 'record'),
      ];
      const observers = [called.observer('observer')];
      await expect(aDirector({ parts: { preRequests, observers } }).route(aRouted())).rejects.toMatchObject(expected);
      expect(called.calls.slice(throwing.length)).toEqual(['last', 'observer: error']);
    },
  );
});

describe('Director: after a request went out', () => {
  it('tells every observer, be it that one throws', async () => {
    const called = new Calls();
    const director = aDirector({ parts: { observers: [called.observer('one', leaking), called.observer('two')] } });
    const decision = await director.route(aRouted());
    director.firstChunk(decision);
    director.ended(decision, 'client_disconnect');
    expect(called.calls).toEqual([
      'one: first chunk',
      'two: first chunk',
      'one: client_disconnect',
      'two: client_disconnect',
    ]);
  });
});

/** A profile whose filter throws. */
function broken(): ReadonlyMap<string, SchedulingProfile> {
  const filters = [{ name: 'filter', plugin: { filter: leaking } }];
  return new Map([['decode', new SchedulingProfile('decode', filters, [], { name: 'p', plugin: { pick: () => [] } })]]);
}
