import { METRICS } from '#telemetry/catalogue';
import { all, portion } from './expression.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

const deferredRatio = `job:${METRICS.probes.name}:deferred_ratio_rate30m`;
const servedRatio = `job:${METRICS.probes.name}:served_ratio_rate6h`;

/** Share of probes that had this result. */
function shareOf(result: string, window: string): string {
  const queries = byJob.over(window);
  return portion(queries.rate(METRICS.probes, { where: { result } }), queries.rate(METRICS.probes));
}

/** Alerts on the probe of decode, whose failures no client notices. */
export const PROBE_GROUP: RuleGroup = {
  name: 'coordinator-probe',
  rules: [
    { record: deferredRatio, expr: shareOf('deferred', '30m') },
    { record: servedRatio, expr: shareOf('served', '6h') },
    {
      alert: 'CoordinatorDeferredRateShift',
      expr: all(
        `abs(${deferredRatio} - ${deferredRatio} offset 1d) > 0.25`,
        `${byJob.over('30m').increase(METRICS.probes)} > 100`,
      ),
      for: '30m',
      severity: 'warning',
      summary: 'The 412 rate has moved by {{ $value | humanizePercentage }} of all probes since yesterday.',
      description:
        'Share of probes that decode deferred, against the same time a day before. A rise is lost cache hits and a longer time to first token; a fall is more cached work, or workers that serve what they should defer.',
    },
    {
      alert: 'CoordinatorProbesAllDeferred',
      expr: all(
        `(\n  ${byJob.over('15m').increase(METRICS.probes, { where: { result: 'deferred' } })} > 20\n  unless\n  ${byJob.over('15m').rate(METRICS.probes, { where: { result: 'served' } })} > 0\n)`,
        `${servedRatio} offset 30m > 0.05`,
      ),
      for: '10m',
      severity: 'warning',
      summary:
        'Decode serves nothing from cache any more: {{ $value | humanize }} probes deferred in 15 minutes, none served.',
      description:
        'In the hours before, probes were served. Every request now pays for a probe and for the full pipeline.',
    },
    {
      alert: 'CoordinatorProbesUnanswered',
      expr: `${shareOf('transport_error', '10m')} > 0.05`,
      for: '10m',
      severity: 'warning',
      summary: '{{ $value | humanizePercentage }} of probes get no answer.',
      description:
        'The connection failed or no head came in time. Requests go on through the full pipeline, so clients see delay and no error.',
    },
  ],
};
