import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { ASYNC_WORKER_AT_A_GLANCE } from './async-worker-at-a-glance.row.ts';
import { ASYNC_WORKER_MESSAGES } from './async-worker-messages.row.ts';
import { ASYNC_WORKER_QUEUES } from './async-worker-queues.row.ts';
import { ASYNC_WORKER_REDIS } from './async-worker-redis.row.ts';
import { ASYNC_WORKER_RETRIES } from './async-worker-retries.row.ts';
import { ASYNC_WORKER, byInstance } from './async-worker.component.ts';
import { houseDashboard } from './house-dashboard.ts';
import { facts } from './panels.ts';
import { processRow } from './process.row.ts';

const PROCESS = processRow(ASYNC_WORKER, byInstance);

const CONFIGURATION = facts(
  {
    title: 'Configuration',
    description:
      'Hash of the effective configuration of each worker. Those of one deployment must have the same; `--check` prints what is behind it.',
  },
  { expr: byInstance.select(ASYNC_WORKER_METRICS.configInfo), legend: '' },
  ['__name__', 'Value'],
);

/** What becomes of queued requests, as the workers see it that take them from the queues. */
export const asyncWorkerDashboard = houseDashboard(
  ASYNC_WORKER,
  {
    uid: 'llm-d-async-worker-overview',
    title: 'Async worker',
    description:
      'What workers take from the queues and what becomes of it: answers, retries, dead letters; how long requests wait, and how Redis bears it.',
  },
  ['instance'],
  [
    ASYNC_WORKER_AT_A_GLANCE,
    ASYNC_WORKER_MESSAGES,
    ASYNC_WORKER_QUEUES,
    ASYNC_WORKER_RETRIES,
    ASYNC_WORKER_REDIS,
    { ...PROCESS, panels: [...PROCESS.panels, CONFIGURATION] },
  ],
);
