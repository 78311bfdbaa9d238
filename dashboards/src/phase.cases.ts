import { METRICS } from '#telemetry/catalogue';
import { growing, series } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'coordinator' };
const HALF_HOUR = 30;

const grow = (perMinute: number): string => growing(perMinute, 60);

function paths(fallback: number): Series[] {
  return [
    series(METRICS.executionPath, { model_name: 'm', path: 'prefill-fallback' }, grow(fallback)),
    series(METRICS.executionPath, { model_name: 'm', path: 'prefill-decode' }, grow(100 - fallback)),
    series(METRICS.executionPath, { model_name: 'n', path: 'decode-only' }, grow(100)),
  ];
}

function handoffs(connector: string, complete: number, missing: number): Series[] {
  return [
    series(METRICS.kvHandoff, { connector, result: 'complete' }, grow(complete)),
    series(METRICS.kvHandoff, { connector, result: 'missing' }, grow(missing)),
  ];
}

function encodes(outcomes: Readonly<Record<string, number>>): Series[] {
  return Object.entries(outcomes).map(([outcome, perMinute]) =>
    series(METRICS.encodeDuration, { outcome }, grow(perMinute), '_count'),
  );
}

/** Rejections of prefill, by status, of a hundred calls a minute. */
function rejected(statuses: Readonly<Record<string, number>>): Series[] {
  return [
    series(METRICS.upstreamRequests, { upstream: 'prefill' }, grow(100)),
    series(METRICS.upstreamRequests, { upstream: 'decode' }, grow(100)),
    ...Object.entries(statuses).map(([status, perMinute]) =>
      series(METRICS.upstreamRejections, { upstream: 'prefill', status }, grow(perMinute)),
    ),
  ];
}

function retried(perMinute: number): Series[] {
  return [
    series(METRICS.upstreamRequests, { upstream: 'decode' }, grow(100)),
    series(METRICS.upstreamRetries, { upstream: 'decode', reason: 'refused' }, grow(perMinute)),
  ];
}

function streams(outcomes: Readonly<Record<string, number>>): Series[] {
  return Object.entries(outcomes).map(([outcome, perMinute]) =>
    series(METRICS.streamOutcome, { outcome }, grow(perMinute)),
  );
}

const UPSTREAM = { ...JOB, upstream: 'prefill' };

export const PHASE_CASES: readonly Situation[] = [
  {
    alert: 'CoordinatorPrefillFallback',
    when: 'one of ten requests falls back',
    series: paths(20),
    at: HALF_HOUR,
    fires: { notBefore: 9, labels: JOB, value: '10%' },
  },
  {
    alert: 'CoordinatorPrefillFallback',
    when: 'one of fifty requests falls back',
    series: paths(4),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorKvHandoffMissing',
    when: 'one of twenty hand-overs is empty, in one of two namespaces',
    series: [
      series(METRICS.kvHandoff, { namespace: 'x', connector: 'kv-nixl', result: 'complete' }, grow(95)),
      series(METRICS.kvHandoff, { namespace: 'x', connector: 'kv-nixl', result: 'not_object' }, grow(5)),
      series(METRICS.kvHandoff, { namespace: 'y', connector: 'kv-nixl', result: 'complete' }, grow(100)),
    ],
    at: HALF_HOUR,
    fires: { notBefore: 9, labels: { ...JOB, namespace: 'x', connector: 'kv-nixl' }, value: '5%' },
  },
  {
    alert: 'CoordinatorKvHandoffMissing',
    when: 'one of two hundred hand-overs is empty',
    series: handoffs('kv-nixl', 199, 1),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorKvHandoffMissing',
    when: 'the connector has nothing to hand over',
    series: handoffs('kv-shared-storage', 0, 100),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorEncodeFailures',
    when: 'one of ten encode calls fails',
    series: encodes({ success: 90, error: 10, cancelled: 50 }),
    at: HALF_HOUR,
    fires: { notBefore: 4, labels: JOB, value: '10%' },
  },
  {
    alert: 'CoordinatorEncodeFailures',
    when: 'one of thirty encode calls fails, and clients leave',
    series: encodes({ success: 87, error: 3, cancelled: 50 }),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorRetriesSurge',
    when: 'one of ten calls is sent again',
    series: retried(10),
    at: HALF_HOUR,
    fires: { notBefore: 9, labels: { ...JOB, upstream: 'decode' }, value: '10%' },
  },
  {
    alert: 'CoordinatorRetriesSurge',
    when: 'one of a hundred calls is sent again',
    series: retried(1),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorUpstreamErrors',
    when: 'one of ten prefills is answered with 500',
    series: rejected({ other_5xx: 10 }),
    at: HALF_HOUR,
    fires: { notBefore: 4, labels: UPSTREAM, value: '10%' },
  },
  {
    alert: 'CoordinatorUpstreamErrors',
    when: 'one of ten prefills is answered with 503, and one of a hundred with 500',
    series: rejected({ '503': 10, other_5xx: 1 }),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorUpstreamBackPressure',
    when: 'one of ten prefills is answered with 429',
    series: rejected({ '429': 10 }),
    at: HALF_HOUR,
    fires: { notBefore: 9, labels: UPSTREAM, value: '10%' },
  },
  {
    alert: 'CoordinatorUpstreamBackPressure',
    when: 'one of ten prefills is answered with 400, and some with 429',
    series: rejected({ other_4xx: 10, '429': 3 }),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorStreamsReset',
    when: 'workers cut off one of ten streams',
    series: streams({ completed: 90, upstream_reset: 10 }),
    at: HALF_HOUR,
    fires: { notBefore: 4, labels: JOB, value: '10%' },
  },
  {
    alert: 'CoordinatorStreamsReset',
    when: 'clients leave one of ten streams, and workers cut off one of two hundred',
    series: streams({ completed: 179, client_closed: 20, upstream_reset: 1 }),
    at: HALF_HOUR,
  },
  {
    alert: 'CoordinatorClientsStalled',
    when: 'one of ten streams ends unread',
    series: streams({ completed: 90, stalled: 10 }),
    at: HALF_HOUR,
    fires: { notBefore: 14, labels: JOB, value: '10%' },
  },
  {
    alert: 'CoordinatorClientsStalled',
    when: 'one of a hundred streams ends unread',
    series: streams({ completed: 99, stalled: 1 }),
    at: HALF_HOUR,
  },
];
