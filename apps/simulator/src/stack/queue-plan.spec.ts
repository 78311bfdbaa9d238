import { describe, expect, it } from '@jest/globals';
import { withBroker } from './queue-plan.ts';

const URL = 'redis://127.0.0.1:6379';

describe('withBroker', () => {
  it.each([
    { what: 'no broker', steps: [{ type: 'render' }, { type: 'decode' }], params: {} },
    {
      what: 'one of its own, which keeps its parameters',
      steps: [{ type: 'async-broker', params: { redis_url: 'redis://other', fetch_grace_seconds: 5 } }],
      params: { fetch_grace_seconds: 5 },
    },
    { what: 'no steps', steps: undefined, params: {} },
  ])('puts the broker first, with the Redis in use, where there is $what', ({ steps, params }) => {
    const { pipeline } = withBroker({ log_level: 1, pipeline: { kv_connector: 'kv-nixl', steps } }, URL);
    const others = (steps ?? []).filter(({ type }) => type !== 'async-broker');
    expect(pipeline).toEqual({
      kv_connector: 'kv-nixl',
      steps: [{ type: 'async-broker', params: { ...params, redis_url: URL } }, ...others],
    });
  });
});
