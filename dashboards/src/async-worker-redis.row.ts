import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { byInstance, chosen } from './async-worker.component.ts';
import type { Row } from './house-dashboard.ts';
import { states, trend } from './panels.ts';

/** How the Redis that has the queues bears it. */
export const ASYNC_WORKER_REDIS: Row = {
  title: 'Redis',
  panels: [
    states(
      {
        title: 'Redis by worker',
        description:
          'Whether each worker could look into its queues. Away for one alone: its network. For all: Redis. Nothing is taken meanwhile, and nothing is lost.',
      },
      [{ expr: byInstance.select(ASYNC_WORKER_METRICS.redisUp), legend: '{{instance}}' }],
      { one: 'there', zero: 'away' },
    ),
    trend(
      {
        title: 'Commands that failed',
        description:
          '`offline`: there is no connection. `timeout`, `closed`: it broke on the way. `reply`: Redis refused, as it does when it is out of memory, read-only, or a key has another type.',
        unit: 'cps',
      },
      [
        {
          expr: chosen.rate(ASYNC_WORKER_METRICS.redisErrors, { by: ['command', 'failure'] }),
          legend: '{{command}} {{failure}}',
        },
      ],
    ),
  ],
};
