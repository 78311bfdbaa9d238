import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { chosen } from './async-worker.component.ts';
import { ASYNC_WORKER_OBJECTIVES, CALLED } from './async-worker.objectives.ts';
import { percentiles } from './curves.ts';
import { portion } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';

const { messages, recovered, retryDelay, queueRetrying, deadLetters, queueDeadLetters } = ASYNC_WORKER_METRICS;

/** What did not come off at once: workers that died, calls that are made again, requests that were given up. */
export const ASYNC_WORKER_RETRIES: Row = {
  title: 'Leases, retries and dead letters',
  panels: [
    trend(
      {
        title: 'Leases',
        description:
          'Requests a second that a worker let go of without a word (`ended`), and whose answer came too late for that (`lost`). Others than zero: workers are killed, or stand still for longer than `worker.lease`.',
        unit: 'cps',
      },
      [
        { expr: chosen.rate(recovered, { where: { why: 'lease' } }), legend: 'ended' },
        { expr: chosen.rate(messages, { where: { outcome: 'lost' } }), legend: 'lost' },
      ],
    ),
    trend(
      {
        title: 'Share of calls made again',
        description:
          'Calls that came to nothing, of all. Beyond the dashed line most of the work is for nothing: see "Calls by result" for why.',
        unit: 'percentunit',
      },
      [
        {
          expr: portion(
            chosen.rate(messages, { where: { outcome: 'retried' } }),
            chosen.rate(messages, { where: { outcome: CALLED } }),
          ),
          legend: 'made again',
        },
      ],
      [
        { from: 0, color: 'green' },
        { from: ASYNC_WORKER_OBJECTIVES.retried, color: 'red' },
      ],
    ),
    latency(
      {
        title: 'Time to the next try',
        description: 'Back-off, or `Retry-After` where that is longer. It doubles with each try of a request.',
      },
      percentiles(chosen, retryDelay),
    ),
    trend(
      {
        title: 'Waiting for the next try',
        description: 'Requests whose next try is not due. They hold no place of a worker, and delay nobody.',
        unit: 'short',
      },
      [{ expr: chosen.highest(queueRetrying, { by: ['queue'] }), legend: '{{queue}}' }],
    ),
    stack(
      {
        title: 'Tries that came due',
        description: 'Requests a second that went back on their queue for the next try.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(recovered, { by: ['queue'], where: { why: 'retry' } }), legend: '{{queue}}' }],
    ),
    stack(
      {
        title: 'Dead letters by reason',
        description:
          'Requests a second that were given up. `retries_exhausted`: all tries failed. `worker_lost`: workers died of it, or with it, again and again. `invalid_envelope`: it cannot be read, or names keys that are not its own.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(deadLetters, { by: ['reason'] }), legend: '{{reason}}' }],
    ),
    trend(
      {
        title: 'Dead letters kept',
        description:
          'Dead letters that an operator can look at. At `worker.dead_letters` the oldest are dropped for new ones.',
        unit: 'short',
      },
      [{ expr: chosen.highest(queueDeadLetters, { by: ['queue'] }), legend: '{{queue}}' }],
    ),
  ],
};
