import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { chosen } from './async-worker.component.ts';
import type { Row } from './house-dashboard.ts';
import { NEAR_DEADLINE } from './objectives.ts';
import { trend } from './panels.ts';

const { queueDepth, queueOldest, queueDeadline, queueLeased } = ASYNC_WORKER_METRICS;
const BY_QUEUE = { by: ['queue'] } as const;
const LEGEND = '{{queue}}';

/** What lies in Redis. Every worker sees the same, so nothing is summed. */
export const ASYNC_WORKER_QUEUES: Row = {
  title: 'Queues',
  panels: [
    trend(
      {
        title: 'Waiting by queue',
        description: 'Requests that nobody has taken. Growing: more comes than is worked off. No data: Redis is away.',
        unit: 'short',
      },
      [{ expr: chosen.highest(queueDepth, BY_QUEUE), legend: LEGEND }],
    ),
    trend(
      {
        title: 'Wait of the next one',
        description:
          'How long the request that is taken next has been queued. Growing second by second: nobody takes from the queue.',
        unit: 's',
      },
      [{ expr: chosen.highest(queueOldest, BY_QUEUE), legend: LEGEND }],
    ),
    trend(
      {
        title: 'Time left for the next one',
        description:
          'Time to the nearest deadline on the queue. Below zero: it will be answered with 504. Near zero all the time: too little capacity.',
        unit: 's',
      },
      [{ expr: chosen.highest(queueDeadline, BY_QUEUE), legend: LEGEND }],
      [
        { from: 0, color: 'red' },
        { from: NEAR_DEADLINE, color: 'green' },
      ],
    ),
    trend(
      {
        title: 'Held by workers',
        description:
          'Requests that workers hold by a lease, those of workers that have died included. More than "In flight now": leases of the dead, until they end.',
        unit: 'short',
      },
      [{ expr: chosen.highest(queueLeased, BY_QUEUE), legend: LEGEND }],
    ),
  ],
};
