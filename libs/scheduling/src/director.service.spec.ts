import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Objectives } from './objectives.ts';
import { aDirector, aParser, aRouted, keptLog } from './director.fixture.ts';
import type { Picker } from './plugin.ts';
import { SchedulingError } from './scheduling.error.ts';
import { SchedulingProfile } from './scheduling-profile.ts';
import { anEndpoint } from './scheduling.fixture.ts';

const SECRET = 'the prompt is: hello';
const leaking = (): never => {
  throw new TypeError(SECRET);
};

let logged: readonly unknown[] = [];

beforeEach(() => {
  logged = keptLog();
});

afterEach(() => {
  expect(JSON.stringify(logged)).not.toContain(SECRET);
});

describe('Director: candidates', () => {
  const POOL = [anEndpoint({ name: 'a' }), anEndpoint({ name: 'b', address: '10.0.0.2' })];
  const none = new SchedulingError(
    'ServiceUnavailable',
    'failed to find endpoint candidates for serving the request',
    'rejected-no-endpoints',
  );

  it('takes any endpoint without a subset', async () => {
    const { destination } = await aDirector({ endpoints: POOL }).route(aRouted());
    expect(destination).toBe('10.0.0.1:8000');
  });

  it('takes one of the subset', async () => {
    const { destination } = await aDirector({ endpoints: POOL }).route(aRouted({ subset: ['10.0.0.2:8000'] }));
    expect(destination).toBe('10.0.0.2:8000');
  });

  it.each([
    ['an empty pool', [], undefined],
    ['an empty subset', POOL, []],
    ['a subset of strangers', POOL, ['10.9.9.9:8000']],
  ])('answers 503 with %s', async (_what, endpoints, subset) => {
    await expect(aDirector({ endpoints }).route(aRouted({ subset }))).rejects.toEqual(none);
  });

  it('answers 503 with an empty pool, though it counts as full', async () => {
    const saturation = { saturation: (all: readonly unknown[]) => (all.length === 0 ? 1 : 0) };
    await expect(aDirector({ endpoints: [], parts: { saturation } }).route(aRouted())).rejects.toEqual(none);
  });

  it('lists all targets, the best one first', async () => {
    const all: Picker = { pick: (scored) => scored.map(({ candidate }) => candidate) };
    const profiles = new Map([['decode', new SchedulingProfile('decode', [], [], { name: 'all', plugin: all })]]);
    const endpoints = [...POOL, anEndpoint({ name: 'c', address: 'fd00::1' })];
    const { destination } = await aDirector({ endpoints, parts: { profiles } }).route(aRouted());
    expect(destination).toBe('10.0.0.1:8000,10.0.0.2:8000,[fd00::1]:8000');
  });
});

describe('Director: a request without a body', () => {
  it('goes to any endpoint', () => {
    expect(aDirector().any()).toEqual(anEndpoint());
  });

  it('is answered 500 with an empty pool', () => {
    expect(() => aDirector({ endpoints: [] }).any()).toThrow(
      new SchedulingError('Internal', 'no pods available in datastore'),
    );
  });
});

describe('Director: models', () => {
  const rewritable = { model: 'm', withModel: (model: string) => Buffer.from(`{"model":"${model}"}`) };
  const route = (parsed: object, headers: Readonly<Record<string, string>> = {}) =>
    aDirector({ parts: { parsers: [{ name: 'parser', plugin: aParser(parsed) }] } }).route(aRouted({ headers }));

  it('sends the body as it came where the model stays', async () => {
    const { body, isRewritten, incomingModel, request } = await route(rewritable);
    expect([body.toString(), isRewritten, incomingModel, request.targetModel]).toEqual(['{}', false, 'm', 'm']);
  });

  it.each([
    [{ 'x-llm-d-model-name-rewrite': 'new' }, 'new'],
    [{ 'x-gateway-model-name-rewrite': 'old' }, 'old'],
    [{ 'x-llm-d-model-name-rewrite': 'new', 'x-gateway-model-name-rewrite': 'old' }, 'new'],
    [{ 'x-llm-d-model-name-rewrite': '', 'x-gateway-model-name-rewrite': 'old' }, 'old'],
  ])('writes the model of %j into the body', async (headers, target) => {
    const { body, isRewritten, incomingModel, request } = await route(rewritable, headers);
    expect([body.toString(), isRewritten]).toEqual([`{"model":"${target}"}`, true]);
    expect([incomingModel, request.targetModel]).toEqual(['m', target]);
  });

  it('gives a body without a model the one of the header', async () => {
    const { request } = await route({ ...rewritable, model: undefined }, { 'x-llm-d-model-name-rewrite': 'new' });
    expect(request.targetModel).toBe('new');
  });

  it.each([undefined, ''])('answers 400 without a model: %p', async (model) => {
    await expect(route({ ...rewritable, model })).rejects.toEqual(
      new SchedulingError('BadRequest', 'model not found in request body'),
    );
  });

  it('leaves a body alone that is not read', async () => {
    const { isRewritten, request } = await route({ model: undefined }, { 'x-llm-d-model-name-rewrite': 'new' });
    expect([isRewritten, request.targetModel]).toEqual([false, '']);
  });

  it('sends on what the parser changed, though the model stays', async () => {
    const withModel = (model: string): Buffer => Buffer.from(`changed for ${model}`);
    const { isRewritten, body } = await route({ ...rewritable, isChanged: true, withModel });
    expect([isRewritten, body.toString()]).toEqual([true, 'changed for m']);
  });

  it('answers 500 for a body that the model cannot be written into', async () => {
    const headers = { 'x-llm-d-model-name-rewrite': 'new' };
    await expect(route({ ...rewritable, withModel: leaking }, headers)).rejects.toEqual(
      new SchedulingError('Internal', 'error writing the request body anew'),
    );
  });

  it.each([
    [{}, 'default-flow'],
    [{ 'x-gateway-inference-fairness-id': 'old' }, 'old'],
    [{ 'x-llm-d-inference-fairness-id': 'new', 'x-gateway-inference-fairness-id': 'old' }, 'new'],
  ])('takes the fairness id of %j', async (headers, expected) => {
    expect((await route(rewritable, headers)).request.fairnessId).toBe(expected);
  });
});

describe('Director: parsing', () => {
  it.each([
    ['says', () => Promise.reject(new SchedulingError('BadRequest', 'no prompt')), 'no prompt'],
    ['throws', () => Promise.reject(new TypeError(SECRET)), 'error parsing the request body'],
  ])('answers 400 for what a parser %s', async (_what, parse, message) => {
    const parsers = [{ name: 'parser', plugin: { suffixes: [], parse } }];
    await expect(aDirector({ parts: { parsers } }).route(aRouted())).rejects.toEqual(
      new SchedulingError('BadRequest', message),
    );
  });
});

describe('Director: what a request is worth', () => {
  const full = { parts: { saturation: { saturation: () => 1 } }, objectives: new Objectives({ batch: -1, chat: 1 }) };

  it.each([{}, { 'x-llm-d-inference-objective': 'chat' }, { 'x-llm-d-inference-objective': 'nobody' }])(
    'serves %j when the pool is full',
    async (headers) => {
      await expect(aDirector(full).route(aRouted({ headers }))).resolves.toBeDefined();
    },
  );

  it.each(['x-llm-d-inference-objective', 'x-gateway-inference-objective'])(
    'sheds a request whose %s may be shed',
    async (name) => {
      await expect(aDirector(full).route(aRouted({ headers: { [name]: 'batch' } }))).rejects.toMatchObject({
        code: 'ResourceExhausted',
        droppedReason: 'rejected-saturated',
      });
    },
  );
});
