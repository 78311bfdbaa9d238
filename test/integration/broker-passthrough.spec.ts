import { describe, expect, it, jest } from '@jest/globals';
import { cleanup, json } from '#testing';
import { BrokerBench, brokerParts, eventually } from './broker.fixture.ts';
import { ObservedCoordinator } from './telemetry.fixture.ts';

jest.setTimeout(60_000);

const OBJECTIVE = 'x-llm-d-inference-objective';
const FAIRNESS = 'x-llm-d-inference-fairness-id';
const LIVE = { 'x-llm-d-async-mode': 'passthrough', 'x-llm-d-tenant': 'team-a' };
const COUNTER = 'quota:userid:team-a';
const OBJECTIVES = { interactive: { reserved: 'int-reserved', overflow: 'int-overflow' } };
const PARAMS = { default_tier: 'interactive', objectives: OBJECTIVES, quota: { limits: { 'team-a': 1 } } };

const later = cleanup();
const parts = brokerParts();

async function start(params: object = PARAMS, options: object = {}): Promise<BrokerBench> {
  const bench = await BrokerBench.start(parts.redis, parts.cluster, params, options);
  later(() => bench.close());
  return bench;
}

const stamped = (call = 0): (string | string[] | undefined)[] => {
  const headers = parts.cluster.calls('decode')[call]?.headers ?? {};
  return [headers[OBJECTIVE], headers[FAIRNESS]];
};

describe('async-broker in mode passthrough', () => {
  it('stamps the reserved objective, then the overflow at limit 1, and frees the slot when the request ends', async () => {
    const bench = await start();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    parts.cluster.handlers.decode = async (response) => {
      await released;
      json(response, {});
    };
    const first = bench.ask(LIVE);
    await parts.cluster.received('decode');
    expect(await bench.redis.get(COUNTER)).toBe('1');
    expect(await bench.redis.ttl(COUNTER)).toBeGreaterThan(290);
    const second = bench.ask(LIVE);
    await eventually(() => parts.cluster.calls('decode').length === 2);
    expect([stamped(0), stamped(1)]).toEqual([
      ['int-reserved', 'team-a'],
      ['int-overflow', 'team-a'],
    ]);
    release();
    expect([(await first).status, (await second).status]).toEqual([200, 200]);
    await eventually(async () => (await bench.redis.get(COUNTER)) === '0');
    await bench.ask(LIVE);
    expect(stamped(2)).toEqual(['int-reserved', 'team-a']);
  });

  it('frees the slot when the client leaves', async () => {
    const bench = await start();
    parts.cluster.handlers.decode = () => new Promise(() => undefined);
    const aborter = new AbortController();
    const asked = bench.ask(LIVE, undefined, { signal: aborter.signal }).catch(() => undefined);
    await parts.cluster.received('decode');
    aborter.abort();
    await asked;
    await eventually(async () => (await bench.redis.get(COUNTER)) === '0');
  });

  it('keeps a counter alive as long as one of several is running', async () => {
    const bench = await start({ ...PARAMS, quota: { limits: { 'team-a': 5 }, window_seconds: 100 } });
    await bench.redis.set(COUNTER, '3', { expiration: { type: 'EX', value: 10 } });
    await bench.ask(LIVE);
    await eventually(async () => (await bench.redis.get(COUNTER)) === '3');
    expect(await bench.redis.ttl(COUNTER)).toBeGreaterThan(90);
  });

  it.each([[{}], [{ limits: { 'team-a': 0 } }], [{ limits: { other: 1 } }]])(
    'takes a tenant without a limit, as in %j, for reserved, and does not count it',
    async (quota) => {
      const bench = await start({ ...PARAMS, quota });
      await bench.ask(LIVE);
      expect(stamped()).toEqual(['int-reserved', 'team-a']);
      expect(await bench.keys()).toEqual([]);
    },
  );

  it.each([
    ['with an objective', PARAMS, ['int-reserved', 'team-a']],
    ['without one for the tier', { ...PARAMS, default_tier: 'batch' }, [undefined, 'team-a']],
    ['with an empty one', { ...PARAMS, objectives: { interactive: { overflow: 'x' } } }, [undefined, 'team-a']],
    ['with a tier that is a word of JavaScript', { ...PARAMS, default_tier: 'constructor' }, [undefined, 'team-a']],
  ])("replaces the client's identity headers %s", async (_what, params, expected) => {
    const bench = await start(params);
    await bench.ask({ ...LIVE, [OBJECTIVE]: 'best', [FAIRNESS]: 'other', 'x-kept': 'yes' });
    expect(stamped()).toEqual(expected);
    expect(parts.cluster.calls('decode')[0]?.headers['x-kept']).toBe('yes');
  });

  it('takes the tier of the first route that fits', async () => {
    const routes = [
      { model: 'x', tier: 'no' },
      { tenant: 'team-a', tier: 'interactive' },
      { tenant: 'team-a', tier: 'late' },
    ];
    await (await start({ objectives: OBJECTIVES, routes })).ask(LIVE);
    expect(stamped()).toEqual(['int-reserved', 'team-a']);
  });

  it('stamps every call of the request, render and phases', async () => {
    const steps = [
      { type: 'async-broker', params: { redis_url: parts.redis.url, ...PARAMS } },
      'render',
      'conditional-decode',
      'prefill',
      'decode',
    ];
    const coordinator = await ObservedCoordinator.start(parts.cluster, { steps });
    later(() => coordinator.close());
    const body = '{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}';
    const headers = { ...LIVE, [OBJECTIVE]: 'best' };
    const answer = await fetch(`${coordinator.url}/v1/chat/completions`, { method: 'POST', headers, body });
    expect(await answer.text()).toContain('[DONE]');
    const calls = parts.cluster.calls();
    expect(calls).toHaveLength(4);
    for (const call of calls)
      expect([call.headers[OBJECTIVE], call.headers[FAIRNESS]]).toEqual(['int-reserved', 'team-a']);
  });

  it('counts how requests stood to their quota', async () => {
    const bench = await start();
    await bench.redis.set(COUNTER, '1');
    await bench.ask(LIVE);
    await bench.ask({ ...LIVE, 'x-llm-d-tenant': 'b' });
    expect(await bench.coordinator.samples('llm_d_coordinator_async_quota_total')).toEqual({
      'outcome="overflow"': 1,
      'outcome="reserved"': 1,
    });
  });
});
