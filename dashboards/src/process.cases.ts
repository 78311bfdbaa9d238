import { METRICS } from '#telemetry/catalogue';
import type { MetricSpec } from '#telemetry/catalogue';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import { TARGET, growing, series, steady } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'coordinator' };
const MEBIBYTE = 1_048_576;
const HOUR = 60;

function build(minutes: number): Series {
  return series(METRICS.buildInfo, { version: '1.0.0', commit: 'abc', node: 'v24' }, steady(1, minutes));
}

/** A series that another kind of process has too. */
function elsewhere(metric: MetricSpec & { readonly labels: readonly [] }, values: string): Series {
  return series(metric, { job: 'other', instance: 'z:9090' }, values);
}

/** Memory that stays, and then rises to another value within an hour. */
function memory(from: number, to: number): string {
  const step = ((to - from) * MEBIBYTE) / HOUR;
  return `${steady(from * MEBIBYTE, 7 * HOUR)} ${from * MEBIBYTE}+${step}x${HOUR} ${steady(to * MEBIBYTE, 4 * HOUR)}`;
}

function config(instance: string, hash: string, minutes = 60): Series {
  return series(METRICS.configInfo, { instance, hash }, steady(1, minutes));
}

function dependency(instance: string, value: string): Series {
  return series(METRICS.readiness, { instance, dependency: 'gateway' }, value);
}

export const PROCESS_CASES: readonly Situation[] = [
  {
    alert: 'CoordinatorEventLoopLag',
    when: 'timers run a quarter of a second late',
    series: [build(30), series(PROCESS.lagP99, {}, steady(0.25, 30))],
    at: 30,
    fires: { notBefore: 9, labels: TARGET, value: '250ms' },
  },
  {
    alert: 'CoordinatorEventLoopLag',
    when: 'another service is late, and the coordinator was for a moment',
    series: [
      build(30),
      series(PROCESS.lagP99, {}, `${steady(0.01, 20)} 0.5 0.5 ${steady(0.01, 20)}`),
      elsewhere(PROCESS.lagP99, steady(3, 30)),
    ],
    at: 23,
  },
  {
    alert: 'CoordinatorMemoryGrowth',
    when: 'memory rises from 400 MiB to 1 GiB and stays there',
    series: [build(12 * HOUR), series(PROCESS.residentMemory, {}, memory(400, 1024))],
    at: 11 * HOUR,
    fires: { notBefore: 9 * HOUR, labels: TARGET, value: '1Gi' },
  },
  {
    alert: 'CoordinatorMemoryGrowth',
    when: 'memory doubles, and is small, or is that of another service',
    series: [
      build(12 * HOUR),
      series(PROCESS.residentMemory, {}, memory(150, 300)),
      elsewhere(PROCESS.residentMemory, memory(400, 1024)),
    ],
    at: 11 * HOUR,
  },
  {
    alert: 'CoordinatorMemoryGrowth',
    when: 'memory peaks again and again, and always falls back',
    series: [
      build(12 * HOUR),
      series(
        PROCESS.residentMemory,
        {},
        `${steady(600 * MEBIBYTE, 7 * HOUR)} ${Array(150)
          .fill(`${2000 * MEBIBYTE} ${600 * MEBIBYTE}`)
          .join(' ')}`,
      ),
    ],
    at: 11 * HOUR,
  },
  {
    alert: 'CoordinatorDependencyDown',
    when: 'one of two processes cannot reach the gateway',
    series: [dependency('a:9090', steady(1, 30)), dependency('b:9090', `${steady(1, 10)} ${steady(0, 20)}`)],
    at: 20,
    fires: { notBefore: 14, labels: { ...JOB, dependency: 'gateway' }, value: '1' },
  },
  {
    alert: 'CoordinatorDependencyDown',
    when: 'the gateway is away for three minutes',
    series: [dependency('a:9090', `${steady(1, 10)} 0 0 0 ${steady(1, 20)}`)],
    at: 16,
  },
  {
    alert: 'CoordinatorMetricsAbsent',
    when: 'there are metrics of others only',
    series: [elsewhere(PROCESS.lagP99, steady(0, 30))],
    at: 15,
    fires: { notBefore: 8, labels: {} },
  },
  {
    alert: 'CoordinatorMetricsAbsent',
    when: 'one process is scraped',
    series: [build(30)],
    at: 15,
  },
  {
    alert: 'CoordinatorTargetDown',
    when: 'a process that was scraped does not answer',
    series: [
      series(METRICS.buildInfo, { version: '1.0.0', commit: 'abc', node: 'v24' }, '1x10 _x30'),
      series(SCRAPE.up, {}, '1x10 0x30'),
    ],
    at: 20,
    fires: { notBefore: 14, labels: TARGET },
  },
  {
    alert: 'CoordinatorTargetDown',
    when: 'another service does not answer',
    series: [build(30), series(SCRAPE.up, {}, steady(1, 30)), elsewhere(SCRAPE.up, steady(0, 30))],
    at: 20,
  },
  {
    alert: 'CoordinatorTrafficStopped',
    when: 'there was a request a second, and none for twenty minutes',
    series: [series(METRICS.requests, { model_name: 'm' }, growing(60, 60, { perMinute: 0, minutes: 40 }))],
    at: 80,
    fires: { notBefore: 73, labels: JOB },
  },
  {
    alert: 'CoordinatorTrafficStopped',
    when: 'there was hardly any traffic before',
    series: [series(METRICS.requests, { model_name: 'm' }, growing(1, 60, { perMinute: 0, minutes: 40 }))],
    at: 80,
  },
  {
    alert: 'CoordinatorConfigDrift',
    when: 'two of three processes have one configuration and one has another',
    series: [config('a:9090', 'aa'), config('b:9090', 'aa'), config('c:9090', 'bb')],
    at: 40,
    fires: { notBefore: 25, labels: JOB, value: '2' },
  },
  {
    alert: 'CoordinatorConfigDrift',
    when: 'a rollout changes the configuration of one process after the other',
    series: [
      config('a:9090', 'aa', 10),
      config('b:9090', 'aa', 20),
      series(METRICS.configInfo, { instance: 'c:9090', hash: 'bb' }, '_x10 1x50'),
      series(METRICS.configInfo, { instance: 'd:9090', hash: 'bb' }, '_x20 1x40'),
    ],
    at: 45,
  },
];
