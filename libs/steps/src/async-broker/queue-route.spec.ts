import { describe, expect, it } from '@jest/globals';
import { brokerConfig } from '#broker';
import { queueRoute } from './queue-route.ts';

const config = brokerConfig.parse({
  redis_url: 'redis://redis',
  default_queue: 'rest',
  default_tier: 'low',
  routes: [
    { model: 'm', tenant: 'a', queue: 'of-both', tier: 'high' },
    { tenant: 'a', tier: 'middle' },
    { model: 'n', queue: 'of-n' },
    { model: 'n', queue: 'never' },
  ],
});

describe('queueRoute', () => {
  it.each([
    ['m', 'a', { queue: 'of-both', tier: 'high' }],
    ['n', 'a', { queue: 'rest', tier: 'middle' }],
    ['n', 'b', { queue: 'of-n', tier: 'low' }],
    ['m', 'b', { queue: 'rest', tier: 'low' }],
  ])('of model %s and tenant %s', (model, tenant, route) => {
    expect(queueRoute(config, model, tenant)).toEqual(route);
  });
});
