import { METRICS } from '#telemetry/catalogue';
import { percentiles } from './curves.ts';
import { ratio } from './expression.ts';
import { COORDINATOR, byInstance } from './coordinator.component.ts';
import { houseDashboard } from './house-dashboard.ts';
import { MEMORY } from './memory.row.ts';
import { facts, latency, stack, states, trend } from './panels.ts';
import type { Curve } from './panels.ts';
import { PROCESS, SCRAPE } from './process-metrics.ts';
import type { Counter, Gauge } from './queries.ts';

const HIDDEN = ['__name__', 'Value'];

function level(metric: Gauge): Curve {
  return { expr: byInstance.level(metric), legend: '{{instance}} {{worker}}' };
}

function rate(metric: Counter): Curve {
  return { expr: byInstance.rate(metric), legend: '{{instance}} {{worker}}' };
}

/** Whether the processes themselves are well. */
export const runtimeDashboard = houseDashboard(
  COORDINATOR,
  {
    uid: 'llm-d-coordinator-runtime',
    title: 'Coordinator / Runtime',
    description:
      'The processes: what runs where, event loop, memory, sockets, and whether Prometheus gets its answers.',
  },
  ['instance'],
  [
    {
      title: 'What runs',
      panels: [
        facts(
          {
            title: 'Build',
            description:
              'Version, commit and Node of each process. More than one version outside of a rollout: the rollout is stuck.',
          },
          { expr: byInstance.select(METRICS.buildInfo), legend: '' },
          HIDDEN,
        ),
        facts(
          {
            title: 'Configuration',
            description:
              'Hash of the effective configuration of each process. Replicas of one deployment must have the same; `GET /admin/config` shows what is behind it.',
          },
          { expr: byInstance.select(METRICS.configInfo), legend: '' },
          HIDDEN,
        ),
        states(
          {
            title: 'Readiness',
            description:
              'Whether each process reaches gateway and render, by a connection every few seconds. Down on one process: its network. Down on all: the dependency.',
          },
          [{ expr: byInstance.select(METRICS.readiness), legend: '{{instance}} {{worker}} {{dependency}}' }],
          { one: 'up', zero: 'down' },
        ),
        trend(
          {
            title: 'Uptime',
            description:
              'Since the process started. A fall to zero is a restart; several in a row: look for exit codes and out-of-memory kills.',
            unit: 's',
          },
          [{ expr: `time() - ${byInstance.level(PROCESS.startTime)}`, legend: '{{instance}} {{worker}}' }],
        ),
      ],
    },
    {
      title: 'Event loop',
      panels: [
        latency(
          {
            title: 'Event loop lag (p99)',
            description:
              'How late timers ran since the scrape before, at p99. Every stream of the process waits this long. Over 0.1 s: too much load on one core, or something blocks; compare with CPU.',
          },
          [level(PROCESS.lagP99)],
        ),
        latency(
          {
            title: 'Event loop lag',
            description:
              'Longest and median lateness, and that of the moment of the scrape. A high maximum with a low median is a single long task, garbage collection say.',
          },
          [
            { expr: byInstance.level(PROCESS.lagMax), legend: '{{instance}} {{worker}} max' },
            { expr: byInstance.level(PROCESS.lagMedian), legend: '{{instance}} {{worker}} p50' },
            { expr: byInstance.level(PROCESS.lag), legend: '{{instance}} {{worker}} at scrape' },
          ],
        ),
        trend(
          {
            title: 'CPU',
            description:
              'CPU seconds a second, 1 is a whole core. JavaScript uses one: near 1 the process is full, so add replicas or `server.workers`.',
            unit: 'short',
          },
          [rate(PROCESS.cpuSeconds)],
        ),
      ],
    },
    MEMORY,
    {
      title: 'Sockets and handles',
      panels: [
        stack(
          {
            title: 'Active resources',
            description:
              'What keeps the event loop alive, by type. `TCPSocketWrap` are connections of clients and to upstreams; rising without end: they are not given back.',
            unit: 'short',
          },
          [{ expr: byInstance.level(PROCESS.resources, { by: ['type'] }), legend: '{{instance}} {{worker}} {{type}}' }],
        ),
        stack(
          {
            title: 'Handles',
            description:
              'Open handles by type; `Socket` as above. Compare with "In flight" of Overview: they rise and fall together.',
            unit: 'short',
          },
          [{ expr: byInstance.level(PROCESS.handles, { by: ['type'] }), legend: '{{instance}} {{worker}} {{type}}' }],
        ),
        trend(
          {
            title: 'Open files, share of the limit',
            description:
              'Sockets are files. Near 100 % connections are refused: raise the limit of open files, or add replicas.',
            unit: 'percentunit',
          },
          [
            {
              expr: ratio(byInstance.level(PROCESS.openFiles), byInstance.level(PROCESS.maxFiles)),
              legend: '{{instance}} {{worker}}',
            },
          ],
        ),
        trend(
          {
            title: 'Pending system requests',
            description: 'Name look-ups and file operations under way. Rising: the resolver is slow.',
            unit: 'short',
          },
          [level(PROCESS.activeRequests)],
        ),
      ],
    },
    {
      title: 'Bodies',
      panels: [
        trend(
          {
            title: 'Request size',
            description:
              'Bytes of request body that were read, all models. The limit is `server.max_request_body_size`.',
            unit: 'bytes',
          },
          percentiles(byInstance, METRICS.requestSize).map(({ expr, legend }) => ({
            expr,
            legend: `{{instance}} {{worker}} ${legend}`,
          })),
        ),
        trend(
          {
            title: 'Response size (p95)',
            description: 'Bytes of response body that were written, streams and whole answers apart.',
            unit: 'bytes',
          },
          [
            {
              expr: byInstance.quantile(0.95, METRICS.responseSize, { by: ['stream'] }),
              legend: '{{instance}} {{worker}} stream={{stream}}',
            },
          ],
        ),
      ],
    },
    {
      title: 'Scraping',
      panels: [
        states(
          {
            title: 'Targets',
            description: 'Whether Prometheus got an answer. Down means that all other panels show the past.',
          },
          [{ expr: byInstance.select(SCRAPE.up), legend: '{{instance}} {{worker}}' }],
          { one: 'up', zero: 'down' },
        ),
        latency(
          {
            title: 'Scrape duration',
            description:
              'What Prometheus waits, and what the process works for it. Near the scrape timeout: too many models have a label value, see "Samples".',
          },
          [
            { expr: byInstance.level(SCRAPE.duration), legend: '{{instance}} {{worker}} seen by Prometheus' },
            { expr: byInstance.mean(METRICS.scrapeDuration), legend: '{{instance}} {{worker}} in the process' },
          ],
        ),
        trend(
          {
            title: 'Samples',
            description: 'Samples of one scrape. It grows with the number of models, which is capped at 1000 values.',
            unit: 'short',
          },
          [level(SCRAPE.samples)],
        ),
      ],
    },
  ],
);
