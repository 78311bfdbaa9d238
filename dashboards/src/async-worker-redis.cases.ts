import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { asyncWorkerSeries as series } from './async-worker.situation.ts';
import { growing, steady } from './situation.ts';
import type { Situation } from './situation.ts';

const JOB = { job: 'async-worker' };
const { redisUp, redisErrors } = ASYNC_WORKER_METRICS;

export const ASYNC_WORKER_REDIS_CASES: readonly Situation[] = [
  {
    alert: 'AsyncWorkerRedisAway',
    when: 'one of two workers is cut off',
    series: [series(redisUp, {}, '1x5 0x30'), series(redisUp, { instance: 'v:9090' }, steady(1, 35))],
    at: 15,
    fires: { notBefore: 7, labels: JOB, value: '1' },
  },
  {
    alert: 'AsyncWorkerRedisAway',
    when: 'Redis restarts',
    series: [series(redisUp, {}, '1x5 0 1x30')],
    at: 15,
  },
  {
    alert: 'AsyncWorkerRedisErrors',
    when: 'commands are refused again and again',
    series: [series(redisErrors, { command: 'take', failure: 'reply' }, growing(4, 40))],
    at: 30,
    fires: { notBefore: 11, labels: { ...JOB, failure: 'reply' }, value: '40' },
  },
  {
    alert: 'AsyncWorkerRedisErrors',
    when: 'a connection broke once',
    series: [series(redisErrors, { command: 'take', failure: 'closed' }, '0x5 3x35')],
    at: 20,
  },
];
