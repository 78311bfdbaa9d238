import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { all, portion } from './expression.ts';
import { FAULTS, PICKER_OBJECTIVES } from './picker.objectives.ts';
import type { RuleGroup } from './rule.ts';
import type { Matcher } from './selector.ts';
import { byJob } from './scopes.ts';

/** Decisions in ten minutes below which their slowest hundredth is two or three that came first. */
const LEAST_DECISIONS = 300;

/** Requests with this error, as a share of all that were asked about. */
function failedShare(error_code: Matcher, window: string): string {
  const queries = byJob.over(window);
  return portion(
    queries.rate(PICKER_METRICS.requestErrors, { where: { error_code } }),
    queries.observations(PICKER_METRICS.requestProcessing),
  );
}

function slowest(window: string): string {
  return byJob.over(window).quantile(0.99, PICKER_METRICS.schedulerDuration);
}

/** Alerts on what the endpoint picker answers, and how fast. */
export const PICKER_REQUESTS_GROUP: RuleGroup = {
  name: 'picker-requests',
  rules: [
    {
      alert: 'PickerRefusals',
      expr: `${failedShare(FAULTS, '5m')} > 0.02`,
      for: '5m',
      severity: 'critical',
      summary: '{{ $value | humanizePercentage }} of requests get no endpoint from {{ $labels.job }}.',
      description: 'Clients get 503 or 500. Neither they nor the load on workers has caused it.',
    },
    {
      alert: 'PickerLoadShed',
      expr: `${failedShare('ResourceExhausted', '10m')} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of requests are turned away with 429 by {{ $labels.job }}.',
      description: 'Workers are full and requests of low priority are shed, or filters leave no endpoint.',
    },
    {
      alert: 'PickerDecisionsSlow',
      expr: all(
        `${slowest('10m')} > ${PICKER_OBJECTIVES.decision}`,
        `${byJob.over('10m').observed(PICKER_METRICS.schedulerDuration)} > ${LEAST_DECISIONS}`,
      ),
      for: '10m',
      severity: 'warning',
      summary: 'One of a hundred decisions of {{ $labels.job }} takes more than {{ $value | humanizeDuration }}.',
      description: `The budget is ${PICKER_OBJECTIVES.decision * 1000} ms. Every phase of every request waits for one.`,
    },
  ],
};
