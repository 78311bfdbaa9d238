import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

/** Commands in ten minutes: a connection that breaks once fails a few. */
const FEW_ERRORS = 10;

/** Alerts on the Redis that has the queues. */
export const ASYNC_WORKER_REDIS_GROUP: RuleGroup = {
  name: 'async-worker-redis',
  rules: [
    {
      alert: 'AsyncWorkerRedisAway',
      expr: `count by (namespace, job) (${byJob.select(ASYNC_WORKER_METRICS.redisUp)} == 0) > 0`,
      for: '2m',
      severity: 'critical',
      summary: '{{ $value | humanize }} workers of {{ $labels.job }} cannot look into their queues.',
      description: 'They take nothing. Calls that run go on, and their answers are kept until Redis takes them.',
    },
    {
      alert: 'AsyncWorkerRedisErrors',
      expr: `${byJob.over('10m').increase(ASYNC_WORKER_METRICS.redisErrors, { by: ['failure'] })} > ${FEW_ERRORS}`,
      for: '10m',
      severity: 'warning',
      summary:
        '{{ $value | humanize }} commands of {{ $labels.job }} failed at Redis in 10 minutes: {{ $labels.failure }}.',
      description: 'Work goes on more slowly, if at all: what fails is done again.',
    },
  ],
};
