import { METRICS } from '#telemetry/catalogue';
import { OBJECTIVES } from './objectives.ts';
import { growing, series } from './situation.ts';
import type { Firing, Series, Situation } from './situation.ts';

const MODEL = { model_name: 'm' };
const HOUR = 60;
const BORDER = OBJECTIVES.firstToken.seconds;

const errors = 'CoordinatorErrorBudgetBurn';
const firstToken = 'CoordinatorFirstTokenBudgetBurn';

/** Requests and those that fail, as counters; malformed ones come on top of the failures. */
function requests(all: string, failed: string, error = 'upstream_5xx'): Series[] {
  return [
    series(METRICS.requests, MODEL, all),
    series(METRICS.requestErrors, { ...MODEL, error_code: error }, failed),
    series(METRICS.requestErrors, { ...MODEL, error_code: 'bad_request' }, all),
  ];
}

/** Streams and those with their first token in time. `le` is how the exposition writes the border. */
function streams(all: string, inTime: string, le = `${BORDER}.0`): Series[] {
  const labels = { ...MODEL, path: 'prefill-decode' };
  return [
    series(METRICS.timeToFirstToken, labels, all, '_count'),
    series(METRICS.timeToFirstToken, { ...labels, le }, inTime, '_bucket'),
    series(METRICS.timeToFirstToken, { ...labels, le: '+Inf' }, all, '_bucket'),
  ];
}

function fires(long_window: string, notBefore: number, value: string): Firing {
  return { labels: { job: 'coordinator' }, rule: { long_window }, notBefore, value };
}

/** Each burn rate alone: the next slower one has not lasted long enough to fire too. */
const ERROR_CASES: readonly Omit<Situation, 'alert'>[] = [
  {
    when: 'two of a hundred requests fail',
    series: requests(growing(100, 10), growing(2, 10)),
    at: 10,
    fires: fires('1h', 4, '2%'),
  },
  {
    when: 'one of a hundred requests fails for twenty minutes',
    series: requests(growing(1000, 20), growing(10, 20), 'internal'),
    at: 20,
    fires: fires('6h', 14, '1%'),
  },
  {
    when: 'four of a thousand requests fail for more than an hour',
    series: requests(growing(1000, 70), growing(4, 70), 'upstream_transport'),
    at: 70,
    fires: fires('1d', 58, '0.4%'),
  },
  {
    when: 'two of a thousand requests fail for more than three hours',
    series: requests(growing(1000, 3.5 * HOUR), growing(2, 3.5 * HOUR)),
    at: 3.5 * HOUR,
    fires: fires('3d', 175, '0.2%'),
  },
  {
    when: 'one of two thousand requests fails, for hours',
    series: requests(growing(2000, 3.5 * HOUR), growing(1, 3.5 * HOUR)),
    at: 3.5 * HOUR,
  },
  {
    when: 'failures have ended half an hour ago',
    series: requests(growing(100, 55), growing(20, 20, { perMinute: 0, minutes: 35 })),
    at: 55,
  },
  {
    when: 'failures have ended hours ago',
    series: requests(growing(100, 7 * HOUR), growing(20, 20, { perMinute: 0, minutes: 7 * HOUR - 20 })),
    at: 7 * HOUR,
  },
  {
    when: 'two of twenty requests fail, and there are no more',
    series: requests(growing(2, 10), '0x5 1 1 2 2 2'),
    at: 10,
  },
  {
    when: 'four of hundreds of requests fail in as many hours',
    series: requests(growing(2, 3.5 * HOUR), '0x4 1x64 2x59 3x59 4x25'),
    at: 3.5 * HOUR,
  },
];

const FIRST_TOKEN_CASES: readonly Omit<Situation, 'alert'>[] = [
  {
    when: 'one of five first tokens is late',
    series: streams(growing(50, 10), growing(40, 10)),
    at: 10,
    fires: fires('1h', 2, '20%'),
  },
  {
    when: 'one of ten first tokens is late for twenty minutes, in the text exposition',
    series: streams(growing(100, 20), growing(90, 20), String(BORDER)),
    at: 20,
    fires: fires('6h', 14, '10%'),
  },
  {
    when: 'four of a hundred first tokens are late for more than an hour',
    series: streams(growing(100, 70), growing(96, 70)),
    at: 70,
    fires: fires('1d', 58, '4%'),
  },
  {
    when: 'two of a hundred first tokens are late for more than three hours',
    series: streams(growing(100, 3.5 * HOUR), growing(98, 3.5 * HOUR)),
    at: 3.5 * HOUR,
    fires: fires('3d', 175, '2%'),
  },
  {
    when: 'one of two hundred first tokens is late, for hours',
    series: streams(growing(200, 3.5 * HOUR), growing(199, 3.5 * HOUR)),
    at: 3.5 * HOUR,
  },
  {
    when: 'first tokens were late until half an hour ago',
    series: streams(growing(100, 55), growing(20, 20, { perMinute: 100, minutes: 35 })),
    at: 55,
  },
  {
    when: 'first tokens were late until hours ago',
    series: streams(growing(100, 7 * HOUR), growing(20, 20, { perMinute: 100, minutes: 7 * HOUR - 20 })),
    at: 7 * HOUR,
  },
  {
    when: 'four of twenty first tokens are late, and there are no more',
    series: streams(growing(2, 10), '0 2 4 6 8 9 10 12 13 14 16'),
    at: 10,
  },
];

export const BUDGET_CASES: readonly Situation[] = [
  ...ERROR_CASES.map((situation) => ({ alert: errors, ...situation }) as const),
  ...FIRST_TOKEN_CASES.map((situation) => ({ alert: firstToken, ...situation }) as const),
];
