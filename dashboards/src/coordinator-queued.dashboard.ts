import { METRICS } from '#telemetry/catalogue';
import { COORDINATOR, allModels } from './coordinator.component.ts';
import { percentiles } from './curves.ts';
import { houseDashboard } from './house-dashboard.ts';
import type { Row } from './house-dashboard.ts';
import { NEAR_DEADLINE } from './objectives.ts';
import { latency, stack, trend } from './panels.ts';

const { asyncQueueDepth, asyncQueueOldest, asyncQueueDeadline } = METRICS;

/** All processes see the same queues, so none of this is summed. */
const QUEUES: Row = {
  title: 'Queues',
  panels: [
    trend(
      {
        title: 'Waiting',
        description:
          'Requests that nobody has taken. It grows while more come than are worked off. No data: Redis is away, or its user may not look.',
        unit: 'short',
      },
      [{ expr: allModels.highest(asyncQueueDepth, { by: ['queue'] }), legend: '{{queue}}' }],
    ),
    trend(
      {
        title: 'Wait of the next one',
        description:
          'How long the request that is taken next has been queued. Growing second by second: nobody takes from the queue.',
        unit: 's',
      },
      [{ expr: allModels.highest(asyncQueueOldest, { by: ['queue'] }), legend: '{{queue}}' }],
    ),
    trend(
      {
        title: 'Time left for the next one',
        description:
          'Time to the deadline of the request that is taken next, which is the nearest one. Below zero: it will be answered with 504. Near zero all the time: there is not enough capacity behind the queue.',
        unit: 's',
      },
      [{ expr: allModels.highest(asyncQueueDeadline, { by: ['queue'] }), legend: '{{queue}}' }],
      [
        { from: 0, color: 'red' },
        { from: NEAR_DEADLINE, color: 'green' },
      ],
    ),
  ],
};

/** Requests that are queued, held and fetched (the step async-broker). */
export const queuedDashboard = houseDashboard(
  COORDINATOR,
  {
    uid: 'llm-d-coordinator-queued',
    title: 'Coordinator / Queued requests',
    description:
      'What clients ask the async broker for, how long they are held, what waits in the queues, and how Redis bears it.',
  },
  [],
  [
    {
      title: 'Submissions',
      panels: [
        stack(
          {
            title: 'Requests by mode and outcome',
            description:
              '`queued`: written to Redis. `reattached`: known by its id already. `refused`: 400. `failed`: 503, Redis did not take it, and the client has to send it again. `forwarded`: passthrough, served at once.',
            unit: 'reqps',
          },
          [
            {
              expr: allModels.rate(METRICS.asyncSubmissions, { by: ['mode', 'outcome'] }),
              legend: '{{mode}} {{outcome}}',
            },
          ],
        ),
        stack(
          {
            title: 'Passthrough by quota',
            description:
              '`reserved`: within its tenant’s limit. `overflow`: beyond it, served with the lower objective. `unknown`: Redis did not say, so the request counts as reserved.',
            unit: 'reqps',
          },
          [{ expr: allModels.rate(METRICS.asyncQuota, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
      ],
    },
    {
      title: 'Held requests',
      panels: [
        trend(
          {
            title: 'Held at the moment',
            description:
              'Connections that wait for a result. A rise that goes on: the async processor does not keep up, or does not run.',
            unit: 'short',
          },
          [{ expr: allModels.level(METRICS.asyncHeld), legend: 'held' }],
        ),
        stack(
          {
            title: 'Holds that ended',
            description:
              '`delivered`: with the result. `pending`: at the wait cap, the client fetches it later. `deadline`: 504. `client_closed`: the request is cancelled.',
            unit: 'cps',
          },
          [{ expr: allModels.observations(METRICS.asyncHoldDuration, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
        latency(
          { title: 'Time held', description: 'From submission to the end of the hold, however it ended.' },
          percentiles(allModels, METRICS.asyncHoldDuration),
        ),
      ],
    },
    QUEUES,
    {
      title: 'Redis',
      panels: [
        trend(
          {
            title: 'Commands that failed',
            description:
              '`offline`: there is no connection, and queued modes get 503. `timeout`, `closed`: it broke on the way. `reply`: Redis refused, as it does when it is out of memory or a key has another type.',
            unit: 'cps',
          },
          [
            {
              expr: allModels.rate(METRICS.asyncRedisErrors, { by: ['command', 'failure'] }),
              legend: '{{command}} {{failure}}',
            },
          ],
        ),
      ],
    },
  ],
);
