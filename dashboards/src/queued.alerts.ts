import { METRICS } from '#telemetry/catalogue';
import { all, portion } from './expression.ts';
import { NEAR_DEADLINE } from './objectives.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

const { asyncSubmissions, asyncQueueOldest, asyncQueueDeadline } = METRICS;
const BY_QUEUE = { by: ['queue'] } as const;
const QUEUED = { mode: { matches: 'enqueue|wait' } } as const;

/** Alerts on requests that are queued, whoever works the queues off. */
export const QUEUED_GROUP: RuleGroup = {
  name: 'coordinator-queued',
  rules: [
    {
      alert: 'CoordinatorQueueNotDraining',
      expr: all(
        `${byJob.highest(asyncQueueDeadline, BY_QUEUE)} < ${NEAR_DEADLINE}`,
        `${byJob.highest(asyncQueueOldest, BY_QUEUE)} > ${NEAR_DEADLINE}`,
      ),
      for: '5m',
      severity: 'critical',
      summary: 'What is next on {{ $labels.queue }} of {{ $labels.job }} has {{ $value | humanizeDuration }} left.',
      description: 'It has waited longer than that, and so has what came before it: requests miss their deadlines.',
    },
    {
      alert: 'CoordinatorSubmissionsFailing',
      expr: all(
        `${portion(byJob.rate(asyncSubmissions, { where: { ...QUEUED, outcome: 'failed' } }), byJob.rate(asyncSubmissions, { where: QUEUED }))} > 0.05`,
        `${byJob.over('10m').increase(asyncSubmissions, { where: { ...QUEUED, outcome: 'failed' } })} > 5`,
      ),
      for: '5m',
      severity: 'critical',
      summary: '{{ $value | humanizePercentage }} of requests to be queued by {{ $labels.job }} get 503.',
      description: 'Redis does not take them. What is queued already is safe, as far as Redis keeps it.',
    },
  ],
};
