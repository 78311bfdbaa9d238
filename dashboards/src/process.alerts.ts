import { METRICS } from '#telemetry/catalogue';
import { processAlerts } from './any-process.alerts.ts';
import { COORDINATOR } from './coordinator.component.ts';
import { all } from './expression.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

const REQUEST_RATE = `job:${METRICS.requests.name}:rate1h`;

const { eventLoopLag, memoryGrowth, metricsAbsent, targetDown } = processAlerts(COORDINATOR);

/** Alerts on the processes themselves, and on not knowing about them. */
export const PROCESS_GROUP: RuleGroup = {
  name: 'coordinator-processes',
  rules: [
    { record: REQUEST_RATE, expr: byJob.over('1h').rate(METRICS.requests) },
    eventLoopLag,
    memoryGrowth,
    {
      alert: 'CoordinatorDependencyDown',
      expr: `count by (namespace, job, dependency) (${byJob.select(METRICS.readiness)} == 0) > 0`,
      for: '5m',
      severity: 'critical',
      summary: '{{ $value | humanize }} processes of {{ $labels.job }} cannot connect to {{ $labels.dependency }}.',
      description: 'What they are asked fails.',
    },
    metricsAbsent,
    targetDown,
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
