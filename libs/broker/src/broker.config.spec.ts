import { describe, expect, it } from '@jest/globals';
import { brokerConfig } from './broker.config.ts';

const URL = { redis_url: 'redis://redis:6379' };

/** `path: message` of everything that is wrong. */
function problems(params: object): string[] {
  const { error } = brokerConfig.safeParse(params);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('brokerConfig', () => {
  it('needs a URL, and has a default for the rest', () => {
    expect(brokerConfig.parse(URL)).toEqual({
      redis_url: 'redis://redis:6379',
      redis: {
        topology: 'standalone',
        nodes: [],
        master_name: '',
        sentinel_auth: false,
        password_file: '',
        ca_file: '',
        insecure_skip_verify: false,
      },
      mode_header: 'x-llm-d-async-mode',
      tenant_header: 'x-llm-d-tenant',
      timeout_header: 'x-llm-d-request-timeout-seconds',
      timeouts: { enqueue: { default_seconds: 3600, max_seconds: 0 }, wait: { default_seconds: 60, max_seconds: 0 } },
      wait_cap_seconds: 0,
      fetch_grace_seconds: 60,
      routes: [],
      default_queue: 'request-sortedset',
      default_tier: '',
      quota: { prefix: 'quota:', attribute: 'userid', window_seconds: 300, limits: {} },
      forward_headers: ['x-llm-d-slo-ttft-ms', 'x-llm-d-slo-tpot-ms'],
      wakeup_mode: 'auto',
      objectives: {},
      objective_header: 'x-llm-d-inference-objective',
      fairness_header: 'x-llm-d-inference-fairness-id',
    });
  });

  it('tolerates the connectors and the format that upstream writes into every step', () => {
    const injected = { kv_connector: 'kv-nixl', ec_connector: '', use_openai_format: true };
    expect(problems({ ...URL, ...injected })).toEqual([]);
  });

  it.each([
    [{ timeouts: { wait: { max_seconds: 100 } } }, { default_seconds: 60, max_seconds: 100 }],
    [{ timeouts: { wait: { default_seconds: 5 } } }, { default_seconds: 5, max_seconds: 0 }],
    [{ timeouts: { enqueue: { default_seconds: 5 } } }, { default_seconds: 60, max_seconds: 0 }],
  ])('lets a field that %j leaves out keep its default', (params, wait) => {
    expect(brokerConfig.parse({ ...URL, ...params }).timeouts.wait).toEqual(wait);
  });

  it.each([
    'redis://redis',
    'rediss://user:p%3Aw@redis.example:6380/2',
    'redis://:password@[::1]:6379/0',
    'REDIS://redis:6379',
    ' redis://redis:6379/ ',
  ])('takes the URL %j', (redis_url) => {
    expect(problems({ redis_url })).toEqual([]);
  });

  it.each([
    ['a missing redis_url', {}, 'redis_url: expected a URL'],
    ['an empty redis_url', { redis_url: '' }, 'redis_url: expected a URL'],
    ['a redis_url of another scheme', { redis_url: 'http://redis:6379' }, 'redis_url: expected a URL'],
    ['a redis_url without a host', { redis_url: 'redis://' }, 'redis_url: expected a URL'],
    ['a redis_url with a path', { redis_url: 'redis://redis/a' }, 'redis_url: expected a URL'],
    ['a redis_url with a query', { redis_url: 'redis://redis/?a=1' }, 'redis_url: expected a URL'],
    ['a bad wakeup_mode', { ...URL, wakeup_mode: 'push' }, 'wakeup_mode: '],
    ['an unknown key', { ...URL, redis_uri: 'x' }, ': Unrecognized key'],
    ['an unknown timeouts key', { ...URL, timeouts: { passthrough: {} } }, 'timeouts: Unrecognized key'],
    ['an unknown key of a timeout', { ...URL, timeouts: { wait: { seconds: 1 } } }, 'timeouts.wait: Unrecognized key'],
    [
      'forwarding the mode header',
      { ...URL, forward_headers: ['X-LLM-D-Async-Mode'] },
      'forward_headers.0: "x-llm-d-async-mode"',
    ],
    [
      'forwarding the objective header',
      { ...URL, forward_headers: ['a', 'x-llm-d-inference-objective'] },
      'forward_headers.1: ',
    ],
    [
      'forwarding the fairness header',
      { ...URL, fairness_header: 'X-F', forward_headers: ['x-f'] },
      'forward_headers.0: ',
    ],
    ['a negative cap', { ...URL, wait_cap_seconds: -1 }, 'wait_cap_seconds: '],
    ['a negative grace', { ...URL, fetch_grace_seconds: -1 }, 'fetch_grace_seconds: '],
    ['a negative timeout', { ...URL, timeouts: { wait: { default_seconds: -1 } } }, 'timeouts.wait.default_seconds: '],
    ['a negative limit', { ...URL, timeouts: { enqueue: { max_seconds: -1 } } }, 'timeouts.enqueue.max_seconds: '],
    ['a negative window', { ...URL, quota: { window_seconds: -1 } }, 'quota.window_seconds: '],
    ['a negative quota', { ...URL, quota: { limits: { a: -1 } } }, 'quota.limits.a: '],
    ['a fraction', { ...URL, fetch_grace_seconds: 1.5 }, 'fetch_grace_seconds: '],
    [
      'a built-in default over its limit',
      { ...URL, timeouts: { wait: { default_seconds: 0, max_seconds: 30 } } },
      'timeouts.wait.max_seconds: ',
    ],
    ['a default over its limit', { ...URL, timeouts: { wait: { max_seconds: 30 } } }, 'timeouts.wait.max_seconds: '],
    ['a queue among results', { ...URL, default_queue: 'results:req:a:b' }, 'default_queue: '],
    ['a queue among marks', { ...URL, routes: [{ queue: 'request-active:a:b' }] }, 'routes.0.queue: '],
    ['a queue among wishes', { ...URL, default_queue: 'request-cancel:a:b' }, 'default_queue: '],
    ['a queue among counters', { ...URL, default_queue: 'quota:userid:a' }, 'default_queue: '],
    ['a queue with a line end', { ...URL, default_queue: 'a\nb' }, 'default_queue: '],
    ['an empty queue', { ...URL, default_queue: '' }, 'default_queue: '],
    ['counters among results', { ...URL, quota: { prefix: 'results:', attribute: 'req' } }, 'quota.prefix: '],
    ['counters among marks', { ...URL, quota: { prefix: 'request-active:' } }, 'quota.prefix: '],
    ['a tenant with a colon', { ...URL, quota: { limits: { 'a:b': 1 } } }, 'quota.limits.a:b: '],
    ['a route of a tenant with a colon', { ...URL, routes: [{ tenant: 'a:b' }] }, 'routes.0.tenant: '],
    ['an objective with a line end', { ...URL, objectives: { t: { reserved: 'a\nb' } } }, 'objectives.t.reserved: '],
    ['a sentinel without a name', { ...URL, redis: { topology: 'sentinel' } }, 'redis.master_name: '],
    ['a node without a port', { ...URL, redis: { nodes: ['redis'] } }, 'redis.nodes.0: '],
  ])('refuses %s', (_what, params, start) => {
    const found = problems(params);
    expect(found.filter((problem) => problem.startsWith(start))).not.toEqual([]);
  });
});
