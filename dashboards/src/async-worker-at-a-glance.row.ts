import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { chosen } from './async-worker.component.ts';
import { UNANSWERED } from './async-worker.objectives.ts';
import type { Row } from './house-dashboard.ts';
import { number } from './panels.ts';

const { messages, wait, inFlight, queueDepth, buildInfo } = ASYNC_WORKER_METRICS;

/** Whether it is well, in six numbers. */
export const ASYNC_WORKER_AT_A_GLANCE: Row = {
  title: 'At a glance',
  columns: 6,
  panels: [
    number(
      {
        title: 'Answered now',
        description:
          'Requests a second whose answer lies in its mailbox. Zero while some wait: see "Calls by result". No data: nothing is scraped.',
        unit: 'reqps',
      },
      { expr: chosen.rate(messages, { where: { outcome: 'delivered' } }), legend: 'answered' },
    ),
    number(
      {
        title: 'Unanswered now',
        description:
          'Requests a second whose deadline was over (`expired`) or that were given up (`dead`). Their clients get an error. Red: "Time left for the next one" says whether there is too little capacity, "Calls by result" whether calls fail.',
        unit: 'reqps',
      },
      { expr: chosen.rate(messages, { by: ['outcome'], where: { outcome: UNANSWERED } }), legend: '{{outcome}}' },
      [
        { from: 0, color: 'green' },
        { from: 0.001, color: 'red' },
      ],
    ),
    number(
      {
        title: 'Waiting now',
        description: 'Requests that nobody has taken, by queue. No data: Redis is away.',
        unit: 'short',
      },
      { expr: chosen.highest(queueDepth, { by: ['queue'] }), legend: '{{queue}}' },
    ),
    number(
      {
        title: 'Wait in the queue',
        description: 'From being queued to being taken. Growing: more comes than is worked off.',
        unit: 's',
      },
      [0.5, 0.95].map((q) => ({ expr: chosen.quantile(q, wait), legend: `p${q * 100}` })),
    ),
    number(
      {
        title: 'In flight now',
        description:
          'Requests that workers hold. At `worker.concurrency` times the workers they are full: add some where the model servers have room.',
        unit: 'short',
      },
      { expr: chosen.level(inFlight), legend: 'in flight' },
    ),
    number(
      {
        title: 'Workers',
        description: 'Async workers that Prometheus reaches. Fewer than deployed: see "Targets".',
        unit: 'short',
      },
      { expr: chosen.level(buildInfo), legend: 'workers' },
    ),
  ],
};
