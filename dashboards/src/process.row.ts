import type { Component } from './component.ts';
import type { Row } from './house-dashboard.ts';
import { facts, latency, states, trend } from './panels.ts';
import type { Curve } from './panels.ts';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import type { Counter, Gauge, Queries } from './queries.ts';

const LEGEND = '{{instance}}';

/** The processes of a component: for those that have no dashboard of their own for it. @param byInstance keeps `instance` */
export function processRow({ presence, waits }: Component, byInstance: Queries): Row {
  const level = (metric: Gauge): Curve => ({ expr: byInstance.level(metric), legend: LEGEND });
  const rate = (metric: Counter): Curve => ({ expr: byInstance.rate(metric), legend: LEGEND });
  return {
    title: 'Process',
    panels: [
      facts(
        {
          title: 'Build',
          description: 'What each process runs. More than one version outside of a rollout: the rollout is stuck.',
        },
        { expr: byInstance.select(presence), legend: '' },
        ['__name__', 'Value'],
      ),
      states(
        {
          title: 'Targets',
          description: 'Whether Prometheus got an answer. Down means that all other panels show the past.',
        },
        [{ expr: byInstance.select(SCRAPE.up), legend: LEGEND }],
        { one: 'up', zero: 'down' },
      ),
      trend(
        {
          title: 'Uptime',
          description:
            'Since the process started. A fall to zero is a restart; several in a row: look for exit codes and out-of-memory kills.',
          unit: 's',
        },
        [{ expr: `time() - ${byInstance.level(PROCESS.startTime)}`, legend: LEGEND }],
      ),
      latency(
        {
          title: 'Event loop lag (p99)',
          description: `How late timers ran since the scrape before, at p99. ${waits} of the process waits this long. Over 0.1 s: too much load on one core, or something blocks; compare with CPU.`,
        },
        [level(PROCESS.lagP99)],
      ),
      trend(
        {
          title: 'CPU',
          description:
            'CPU seconds a second, 1 is a whole core. JavaScript uses one: near 1 the process is full, so add replicas.',
          unit: 'short',
        },
        [rate(PROCESS.cpuSeconds)],
      ),
      trend(
        {
          title: 'Memory',
          description:
            'Resident memory, and JavaScript objects in it. Rising for hours at the same traffic is a leak: of objects if both rise, of buffers if the first does.',
          unit: 'bytes',
        },
        [
          { expr: byInstance.level(PROCESS.residentMemory), legend: `${LEGEND} resident` },
          { expr: byInstance.level(PROCESS.heapUsed), legend: `${LEGEND} heap` },
        ],
      ),
      trend(
        {
          title: 'Time in garbage collection',
          description: 'Share of time by kind. `major` above a few percent: the heap is nearly full.',
          unit: 'percentunit',
        },
        [{ expr: byInstance.total(PROCESS.gcDuration, { by: ['kind'] }), legend: `${LEGEND} {{kind}}` }],
      ),
      latency(
        {
          title: 'Scrape duration',
          description:
            'What Prometheus waits. Near the scrape timeout: the process has too little CPU, or very many models, fairness ids or endpoints have series of their own.',
        },
        [level(SCRAPE.duration)],
      ),
    ],
  };
}
