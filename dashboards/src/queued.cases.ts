import { METRICS } from '#telemetry/catalogue';
import { growing, series, steady } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'coordinator' };
const MINUTES = 40;

/** The request that is next on a queue: how long it has waited, and what time it has left. */
function next(queue: string, waited: string, left: string): Series[] {
  return [series(METRICS.asyncQueueOldest, { queue }, waited), series(METRICS.asyncQueueDeadline, { queue }, left)];
}

/** Submissions a minute. */
function submissions(mode: string, counts: Readonly<Record<string, number>>): Series[] {
  return Object.entries(counts).map(([outcome, perMinute]) =>
    series(METRICS.asyncSubmissions, { mode, outcome }, growing(perMinute, MINUTES)),
  );
}

export const QUEUED_CASES: readonly Situation[] = [
  {
    alert: 'CoordinatorQueueNotDraining',
    when: 'requests with five minutes are taken in their last half',
    series: [...next('q', steady(270, MINUTES), steady(30, MINUTES)), ...next('other', '0x40', '300x40')],
    at: 20,
    fires: { notBefore: 4, labels: { ...JOB, queue: 'q' }, value: '30s' },
  },
  {
    alert: 'CoordinatorQueueNotDraining',
    when: 'there is a night left, deadlines are short, or Redis is away',
    series: [
      ...next('batch', '0+60x40', '28800-60x40'),
      ...next('short', steady(1, MINUTES), steady(9, MINUTES)),
      ...next('gone', '270x3 _x37', '30x3 _x37'),
    ],
    at: 20,
  },
  {
    alert: 'CoordinatorSubmissionsFailing',
    when: 'one of five requests to be queued fails',
    series: [...submissions('enqueue', { queued: 70, failed: 15 }), ...submissions('wait', { queued: 10, failed: 5 })],
    at: 20,
    fires: { notBefore: 5, labels: JOB, value: '20%' },
  },
  {
    alert: 'CoordinatorSubmissionsFailing',
    when: 'clients send what is refused, and many requests are not queued at all',
    series: [
      ...submissions('enqueue', { queued: 97, failed: 1, refused: 50 }),
      ...submissions('passthrough', { forwarded: 100 }),
    ],
    at: 20,
  },
];
