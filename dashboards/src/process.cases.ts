import { METRICS } from '#telemetry/catalogue';
import { processCases } from './any-process.cases.ts';
import { COORDINATOR } from './coordinator.component.ts';
import { TARGET, growing, series, steady } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'coordinator' };
const BUILD = { version: '1.0.0', commit: 'abc', node: 'v24' };

const { eventLoopLag, memoryGrowth, metricsAbsent, targetDown } = processCases(COORDINATOR, TARGET, BUILD);

function config(instance: string, hash: string, minutes = 60): Series {
  return series(METRICS.configInfo, { instance, hash }, steady(1, minutes));
}

function dependency(instance: string, value: string): Series {
  return series(METRICS.readiness, { instance, dependency: 'gateway' }, value);
}

export const PROCESS_CASES: readonly Situation[] = [
  ...eventLoopLag,
  ...memoryGrowth,
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
  ...metricsAbsent,
  ...targetDown,
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
