import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { asyncWorkerSeries as series } from './async-worker.situation.ts';
import { growing, steady } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const LABELS = { job: 'async-worker', queue: 'q' };
const MINUTES = 60;
const { messages, inFlight, recovered, deadLetters, queueDepth } = ASYNC_WORKER_METRICS;

/** Messages a minute, by how they end. */
function ended(counts: Readonly<Record<string, number>>, queue = 'q'): Series[] {
  return Object.entries(counts).map(([outcome, perMinute]) =>
    series(messages, { queue, outcome }, growing(perMinute, MINUTES)),
  );
}

function waiting(depth: number, held: number, queue = 'q'): Series[] {
  return [series(queueDepth, { queue }, steady(depth, MINUTES)), series(inFlight, { queue }, steady(held, MINUTES))];
}

export const ASYNC_WORKER_MESSAGES_CASES: readonly Situation[] = [
  {
    alert: 'AsyncWorkerTakesNothing',
    when: 'twelve requests wait, and nobody holds one',
    series: [...waiting(12, 0), ...ended({ delivered: 0, retried: 0 }), ...waiting(5, 4, 'other')],
    at: 20,
    fires: { notBefore: 4, labels: LABELS, value: '12' },
  },
  {
    alert: 'AsyncWorkerTakesNothing',
    when: 'the queue is empty, or long calls run, or they end',
    series: [
      ...[...waiting(0, 0), ...ended({ delivered: 0 })],
      ...[...waiting(12, 4, 'long'), ...ended({ delivered: 0 }, 'long')],
      ...[...waiting(12, 0, 'busy'), ...ended({ delivered: 5 }, 'busy')],
    ],
    at: 20,
  },
  {
    alert: 'AsyncWorkerDeadlinesMissed',
    when: 'one of ten requests is not done in time',
    series: ended({ delivered: 89, dead: 1, expired: 10, retried: 50 }),
    at: 20,
    fires: { notBefore: 4, labels: LABELS, value: '10%' },
  },
  {
    alert: 'AsyncWorkerDeadlinesMissed',
    when: 'few are late, and clients give many up',
    series: [...ended({ delivered: 97, expired: 3, cancelled: 100 }), ...ended({ expired: 1 }, 'quiet')],
    at: 20,
  },
  {
    alert: 'AsyncWorkerRetriesDominate',
    when: 'three of four calls are made again',
    series: ended({ delivered: 24, retried: 75, dead: 1 }),
    at: 30,
    fires: { notBefore: 9, labels: LABELS, value: '75%' },
  },
  {
    alert: 'AsyncWorkerRetriesDominate',
    when: 'a third of the calls is made again, and few come of another queue',
    series: [...ended({ delivered: 60, retried: 30, delayed: 200 }), ...ended({ retried: 1 }, 'quiet')],
    at: 30,
  },
  {
    alert: 'AsyncWorkerDeadLetters',
    when: 'a request has used up its tries',
    series: [
      series(deadLetters, { queue: 'q', reason: 'retries_exhausted' }, `0x10 1x20 1x30`),
      series(deadLetters, { queue: 'q', reason: 'worker_lost' }, `0x60`),
    ],
    at: 13,
    fires: { notBefore: 10, labels: { ...LABELS, reason: 'retries_exhausted' }, value: '1' },
  },
  {
    alert: 'AsyncWorkerDeadLetters',
    when: 'the last one was an hour ago',
    series: [series(deadLetters, { queue: 'q', reason: 'worker_lost' }, steady(7, MINUTES))],
    at: 30,
  },
  {
    alert: 'AsyncWorkerLeasesExpire',
    when: 'a worker dies again and again',
    series: [series(recovered, { queue: 'q', why: 'lease' }, growing(1, MINUTES))],
    at: 30,
    fires: { notBefore: 10, labels: LABELS, value: '15' },
  },
  {
    alert: 'AsyncWorkerLeasesExpire',
    when: 'one worker was killed, and retries come due',
    series: [
      series(recovered, { queue: 'q', why: 'lease' }, `0x10 4x50`),
      series(recovered, { queue: 'q', why: 'retry' }, growing(30, MINUTES)),
    ],
    at: 20,
  },
];
