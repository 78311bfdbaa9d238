import { METRICS } from '#telemetry/catalogue';
import { all } from './expression.ts';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

const OF_COORDINATOR = `on (job, instance) ${byJob.select(METRICS.buildInfo)}`;
const TARGET = '{{ $labels.instance }}';
const REQUEST_RATE = `job:${METRICS.requests.name}:rate1h`;
const HALF_GIBIBYTE = 536_870_912;

const memory = byJob.select(PROCESS.residentMemory);
const lowestMemory = `min_over_time(${memory}[1h])`;

/** Alerts on the processes themselves, and on not knowing about them. */
export const PROCESS_GROUP: RuleGroup = {
  name: 'coordinator-processes',
  rules: [
    { record: REQUEST_RATE, expr: byJob.over('1h').rate(METRICS.requests) },
    {
      alert: 'CoordinatorEventLoopLag',
      expr: all(`${byJob.select(PROCESS.lagP99)} > 0.1`, OF_COORDINATOR),
      for: '10m',
      severity: 'warning',
      summary: `Timers of ${TARGET} run {{ $value | humanizeDuration }} late.`,
      description: 'Every stream of this process waits as long, again and again.',
    },
    {
      alert: 'CoordinatorMemoryGrowth',
      expr: all(
        `${lowestMemory} > 1.5 * min_over_time(${memory}[1h] offset 6h)`,
        `${lowestMemory} > ${HALF_GIBIBYTE}`,
        OF_COORDINATOR,
      ),
      for: '1h',
      severity: 'warning',
      summary: `Memory of ${TARGET} does not fall below {{ $value | humanize1024 }}B any more.`,
      description:
        'That is half as much again as six hours before. Left alone, the process is killed when it meets its limit.',
    },
    {
      alert: 'CoordinatorDependencyDown',
      expr: `count by (namespace, job, dependency) (${byJob.select(METRICS.readiness)} == 0) > 0`,
      for: '5m',
      severity: 'critical',
      summary: '{{ $value | humanize }} processes of {{ $labels.job }} cannot connect to {{ $labels.dependency }}.',
      description: 'What they are asked fails.',
    },
    {
      alert: 'CoordinatorMetricsAbsent',
      expr: `absent(${byJob.select(METRICS.buildInfo)})`,
      for: '10m',
      severity: 'critical',
      summary: 'Prometheus has no coordinator at all.',
      description: 'Nothing is known of the service: no other alert can fire.',
    },
    {
      alert: 'CoordinatorTargetDown',
      expr: `${byJob.select(SCRAPE.up)} == 0\nand\non (job, instance) last_over_time(${byJob.select(METRICS.buildInfo)}[6h])`,
      for: '5m',
      severity: 'warning',
      summary: `Prometheus gets no answer from ${TARGET}.`,
      description: 'It answered in the last six hours, and is still expected to.',
    },
    {
      alert: 'CoordinatorTrafficStopped',
      expr: all(`${byJob.over('10m').rate(METRICS.requests)} == 0`, `${REQUEST_RATE} offset 15m > 0.1`),
      for: '5m',
      severity: 'warning',
      summary: '{{ $labels.job }} gets no requests any more.',
      description: 'In the hour before there were some. It is scraped, so it runs; what is in front of it may not.',
    },
    {
      alert: 'CoordinatorConfigDrift',
      expr: `count by (namespace, job) (count by (namespace, job, hash) (${byJob.select(METRICS.configInfo)})) > 1`,
      for: '30m',
      severity: 'warning',
      summary: 'Processes of {{ $labels.job }} run with {{ $value | humanize }} different configurations.',
      description: 'Which one answers a request is chance.',
    },
  ],
};
