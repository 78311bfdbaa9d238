import type { Component } from './component.ts';
import { all } from './expression.ts';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import type { AlertRule } from './rule.ts';
import { byJob } from './scopes.ts';

/** What every component is watched for: how its processes are, and whether anything is known of them. */
export type ProcessAlert = 'eventLoopLag' | 'memoryGrowth' | 'metricsAbsent' | 'targetDown';

const TARGET = '{{ $labels.instance }}';
const HALF_GIBIBYTE = 536_870_912;

const memory = byJob.select(PROCESS.residentMemory);
const lowestMemory = `min_over_time(${memory}[1h])`;

export function processAlerts({ alerts, noun, presence, waits }: Component): Readonly<Record<ProcessAlert, AlertRule>> {
  const ofComponent = `on (job, instance) ${byJob.select(presence)}`;
  return {
    eventLoopLag: {
      alert: `${alerts}EventLoopLag`,
      expr: all(`${byJob.select(PROCESS.lagP99)} > 0.1`, ofComponent),
      for: '10m',
      severity: 'warning',
      summary: `Timers of ${TARGET} run {{ $value | humanizeDuration }} late.`,
      description: `${waits} of this process waits as long, again and again.`,
    },
    memoryGrowth: {
      alert: `${alerts}MemoryGrowth`,
      expr: all(
        `${lowestMemory} > 1.5 * min_over_time(${memory}[1h] offset 6h)`,
        `${lowestMemory} > ${HALF_GIBIBYTE}`,
        ofComponent,
      ),
      for: '1h',
      severity: 'warning',
      summary: `Memory of ${TARGET} does not fall below {{ $value | humanize1024 }}B any more.`,
      description:
        'That is half as much again as six hours before. Left alone, the process is killed when it meets its limit.',
    },
    metricsAbsent: {
      alert: `${alerts}MetricsAbsent`,
      expr: `absent(${byJob.select(presence)})`,
      for: '10m',
      severity: 'critical',
      summary: `Prometheus has no ${noun} at all.`,
      description: 'Nothing is known of the service: no other alert can fire.',
    },
    targetDown: {
      alert: `${alerts}TargetDown`,
      expr: `${byJob.select(SCRAPE.up)} == 0\nand\non (job, instance) last_over_time(${byJob.select(presence)}[6h])`,
      for: '5m',
      severity: 'warning',
      summary: `Prometheus gets no answer from ${TARGET}.`,
      description: 'It answered in the last six hours, and is still expected to.',
    },
  };
}
