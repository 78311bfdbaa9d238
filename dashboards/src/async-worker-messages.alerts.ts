import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { ASYNC_WORKER_OBJECTIVES, CALLED, SETTLED } from './async-worker.objectives.ts';
import { all, portion } from './expression.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

/** Messages in ten minutes below which a share says nothing. */
const LEAST_MESSAGES = 20;
/** Leases in a quarter of an hour: a worker that is killed once has several. */
const FEW_LEASES = 5;

const PERCENT = `{{ $value | humanizePercentage }}`;
const QUEUE = '{{ $labels.queue }}';
const BY_QUEUE = { by: ['queue'] } as const;
const { messages, inFlight, recovered, deadLetters, queueDepth } = ASYNC_WORKER_METRICS;

type Outcomes = string | { readonly matches: string };

/** Share of messages with these outcomes that have this one, and enough of them. */
function shareAbove(outcome: string, among: Outcomes, limit: number): string {
  const queries = byJob.over('10m');
  const whole = { ...BY_QUEUE, where: { outcome: among } } as const;
  return all(
    `${portion(queries.rate(messages, { ...BY_QUEUE, where: { outcome } }), queries.rate(messages, whole))} > ${limit}`,
    `${queries.increase(messages, whole)} > ${LEAST_MESSAGES}`,
  );
}

/** Alerts on what becomes of queued requests. */
export const ASYNC_WORKER_MESSAGES_GROUP: RuleGroup = {
  name: 'async-worker-messages',
  rules: [
    {
      alert: 'AsyncWorkerTakesNothing',
      expr: all(
        `${byJob.highest(queueDepth, BY_QUEUE)} > 0`,
        `${byJob.rate(messages, BY_QUEUE)} == 0`,
        `${byJob.level(inFlight, BY_QUEUE)} == 0`,
      ),
      for: '5m',
      severity: 'critical',
      summary: `{{ $value | humanize }} requests wait on ${QUEUE}, and no worker of {{ $labels.job }} takes one.`,
      description: 'Workers run and see them. They hold nothing, so it is not that they are busy.',
    },
    {
      alert: 'AsyncWorkerDeadlinesMissed',
      expr: shareAbove('expired', SETTLED, ASYNC_WORKER_OBJECTIVES.expired),
      for: '5m',
      severity: 'critical',
      summary: `${PERCENT} of requests on ${QUEUE} are not done by their deadline.`,
      description: 'Their clients get 504. They waited too long in the queue, or their tries came to nothing.',
    },
    {
      alert: 'AsyncWorkerRetriesDominate',
      expr: shareAbove('retried', CALLED, ASYNC_WORKER_OBJECTIVES.retried),
      for: '10m',
      severity: 'warning',
      summary: `${PERCENT} of calls for ${QUEUE} come to nothing and are made again.`,
      description:
        'The coordinator, or what is behind it, refuses or fails them. Requests use up their tries and deadlines.',
    },
    {
      alert: 'AsyncWorkerDeadLetters',
      expr: `${byJob.over('15m').increase(deadLetters, { by: ['queue', 'reason'] })} > 0`,
      for: '1m',
      severity: 'warning',
      summary: `{{ $value | humanize }} requests of ${QUEUE} were given up: {{ $labels.reason }}.`,
      description: 'Their clients were told so. The requests are kept for an operator to look at and to queue again.',
    },
    {
      alert: 'AsyncWorkerLeasesExpire',
      expr: `${byJob.over('15m').increase(recovered, { ...BY_QUEUE, where: { why: 'lease' } })} > ${FEW_LEASES}`,
      for: '5m',
      severity: 'warning',
      summary: `{{ $value | humanize }} requests of ${QUEUE} were let go of without a word in 15 minutes.`,
      description:
        'Workers die, or stand still for longer than a lease. The requests are taken again, for another try.',
    },
  ],
};
