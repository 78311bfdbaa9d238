import { METRICS } from '#telemetry/catalogue';
import { ratio } from './expression.ts';
import type { Matcher } from './selector.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

/** On the wire of this connector there is nothing to hand over. */
const NOTHING_HANDED_OVER = { not: 'kv-shared-storage' } as const;

const SUMMARY_UPSTREAM = '{{ $value | humanizePercentage }} of calls to {{ $labels.upstream }}';

/** Answers of these statuses, as a share of the calls to the same upstream. */
function rejectedShare(status: Matcher, window: string): string {
  const queries = byJob.over(window);
  return ratio(
    queries.rate(METRICS.upstreamRejections, { by: ['upstream'], where: { status } }),
    queries.rate(METRICS.upstreamRequests, { by: ['upstream'] }),
  );
}

function fallbackShare(): string {
  const queries = byJob.over('10m');
  return ratio(
    queries.rate(METRICS.executionPath, { where: { path: 'prefill-fallback' } }),
    queries.rate(METRICS.executionPath),
  );
}

function lostHandoffs(): string {
  const queries = byJob.over('10m');
  const connector = NOTHING_HANDED_OVER;
  return ratio(
    queries.rate(METRICS.kvHandoff, { by: ['connector'], where: { connector, result: { not: 'complete' } } }),
    queries.rate(METRICS.kvHandoff, { by: ['connector'], where: { connector } }),
  );
}

function failedEncodes(): string {
  const queries = byJob.over('10m');
  return ratio(
    queries.observations(METRICS.encodeDuration, { where: { outcome: 'error' } }),
    queries.observations(METRICS.encodeDuration, { where: { outcome: { not: 'cancelled' } } }),
  );
}

function retriedShare(): string {
  const queries = byJob.over('10m');
  return ratio(
    queries.rate(METRICS.upstreamRetries, { by: ['upstream'] }),
    queries.rate(METRICS.upstreamRequests, { by: ['upstream'] }),
  );
}

function streamShare(outcome: string, window: string): string {
  const queries = byJob.over(window);
  return ratio(queries.rate(METRICS.streamOutcome, { where: { outcome } }), queries.rate(METRICS.streamOutcome));
}

/** Alerts on the phases of a request and what stands behind them. */
export const PHASE_GROUP: RuleGroup = {
  name: 'coordinator-phases',
  rules: [
    {
      alert: 'CoordinatorPrefillFallback',
      expr: `${fallbackShare()} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: 'Prefill failed for {{ $value | humanizePercentage }} of requests, and decode computed their prompts.',
      description: 'Clients wait longer and see no error. Decode workers do the work of prefill workers.',
    },
    {
      alert: 'CoordinatorKvHandoffMissing',
      expr: `${lostHandoffs()} > 0.01`,
      for: '10m',
      severity: 'warning',
      summary:
        '{{ $value | humanizePercentage }} of hand-overs by {{ $labels.connector }} carry no transfer parameters.',
      description: 'Decode computes the prompt of these requests again: prefill workers work in vain.',
    },
    {
      alert: 'CoordinatorEncodeFailures',
      expr: `${failedEncodes()} > 0.05`,
      for: '5m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of encode calls fail.',
      description: 'One failed call fails its whole request and cancels the calls beside it.',
    },
    {
      alert: 'CoordinatorRetriesSurge',
      expr: `${retriedShare()} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: `${SUMMARY_UPSTREAM} are sent again.`,
      description: 'Their connections were refused, or kept ones were dead. What fails twice fails the request.',
    },
    {
      alert: 'CoordinatorUpstreamErrors',
      expr: `${rejectedShare('other_5xx', '5m')} > 0.02`,
      for: '5m',
      severity: 'warning',
      summary: `${SUMMARY_UPSTREAM} are answered with a 5xx other than 503.`,
      description: 'Faults of the service behind, not load. Most of them fail the request.',
    },
    {
      alert: 'CoordinatorUpstreamBackPressure',
      expr: `${rejectedShare({ matches: '429|503' }, '10m')} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: `${SUMMARY_UPSTREAM} are answered with 429 or 503.`,
      description: 'The service behind sheds load. Clients get the status and its Retry-After.',
    },
    {
      alert: 'CoordinatorStreamsReset',
      expr: `${streamShare('upstream_reset', '10m')} > 0.01`,
      for: '5m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of streams are cut off by the worker.',
      description: 'Clients have had status 200 and a part of the answer.',
    },
    {
      alert: 'CoordinatorClientsStalled',
      expr: `${streamShare('stalled', '30m')} > 0.02`,
      for: '15m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of streams end because their client takes nothing.',
      description: 'They were dropped at server.write_stall_timeout. Until then they hold a decode slot.',
    },
  ],
};
