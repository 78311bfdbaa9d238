import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { byInstance, chosen } from './async-worker.component.ts';
import { percentiles } from './curves.ts';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';

const { messages, tries, wait, turnaround, tryDuration, inFlight } = ASYNC_WORKER_METRICS;

/** What was taken, what became of it, and how long that took. */
export const ASYNC_WORKER_MESSAGES: Row = {
  title: 'Requests',
  panels: [
    stack(
      {
        title: 'Requests by outcome',
        description:
          'How holding a request ended, a second. `delivered`: answered, whatever the status. `retried`: sent again later. `delayed`: its tenant has as many on their way as it may. `expired`: 504. `dead`: given up, see "Dead letters by reason". `lost`: another worker has it, see "Leases".',
        unit: 'cps',
      },
      [{ expr: chosen.rate(messages, { by: ['outcome'] }), legend: '{{outcome}}' }],
    ),
    stack(
      {
        title: 'Calls by result',
        description:
          'Calls of the coordinator a second. `429`, `503`: it asks for patience, and is given it. `other_5xx`: it fails, or what is behind it. `other_4xx` is final, and the client’s. Words: there was no answer.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(tries, { by: ['result'] }), legend: '{{result}}' }],
    ),
    stack(
      {
        title: 'Answers by queue',
        description:
          'Requests a second that were answered. One queue alone that falls to zero: see "Waiting by queue".',
        unit: 'reqps',
      },
      [
        {
          expr: chosen.rate(messages, { by: ['queue'], where: { outcome: 'delivered' } }),
          legend: '{{queue}}',
        },
      ],
    ),
    latency(
      {
        title: 'Time in the queue',
        description:
          'From being queued to being taken for the first time. It has no right value: deadlines say what is too long.',
      },
      percentiles(chosen, wait),
    ),
    latency(
      {
        title: 'Time of a call',
        description:
          'From taking a request to letting go of it. Growing at steady requests: the coordinator, or what is behind it, got slower; its dashboards say which part.',
      },
      percentiles(chosen, tryDuration),
    ),
    latency(
      {
        title: 'Time to the answer',
        description:
          'From being queued to the answer in the mailbox, waits and all tries included: what a client sees.',
      },
      percentiles(chosen, turnaround),
    ),
    trend(
      {
        title: 'In flight by worker',
        description:
          'Requests that each worker holds. One that keeps the same number while others change: its calls hang, or it does.',
        unit: 'short',
      },
      [{ expr: byInstance.level(inFlight), legend: '{{instance}}' }],
    ),
  ],
};
