import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { all, block } from './expression.ts';
import type { RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

const IN_POOL = 'namespace, job, name';
/** As many times more than its peers, and as many requests at least, are skewed. */
const SKEW = { times: 4, least: 20 } as const;

/** A failing scrape in ten seconds, where each endpoint is asked several times a second. */
const SCRAPE_FAILURES = 0.1;

function stale(): string {
  const { endpointQueue, readyEndpoints } = PICKER_METRICS;
  const inPool = `by (instance, ${IN_POOL})`;
  return block([
    `count ${inPool} (${byJob.select(endpointQueue)})`,
    '-',
    `max ${inPool} (${byJob.select(readyEndpoints)})`,
  ]);
}

function scrapeFailures(): string {
  const by = { by: ['source_type'] } as const;
  const queries = byJob.over('10m');
  return `${queries.rate(PICKER_METRICS.pollErrors, by)} > ${SCRAPE_FAILURES}\nor\n${queries.rate(PICKER_METRICS.extractErrors, by)} > ${SCRAPE_FAILURES}`;
}

/** Compared with endpoints of the same Deployment or StatefulSet only, by what their names begin with: roles differ. */
function skewed(): string {
  const load = byJob.level(PICKER_METRICS.inFlightRequests, { by: ['producer_name', 'endpoint_name'] });
  const name = '(.+?)(-[a-z0-9]{5}|-[0-9]+)?(-rank-[0-9]+)?';
  const sets = `label_replace(${load}, "set", "$1", "endpoint_name", "${name}")`;
  const [busiest, sum, count] = ['max', 'sum', 'count'].map(
    (operator) => `${operator} by (namespace, job, producer_name, set) (${sets})`,
  );
  const peers = block([`(${sum} - ${busiest})`, '/', `(${count} - 1)`]);
  return all(`${busiest} > ${SKEW.times} * ${peers}`, `${busiest} > ${SKEW.least}`);
}

/** Alerts on what requests can be sent to. */
export const PICKER_ENDPOINTS_GROUP: RuleGroup = {
  name: 'picker-endpoints',
  rules: [
    {
      alert: 'PickerNoReadyEndpoints',
      expr: `max by (${IN_POOL}) (${byJob.select(PICKER_METRICS.readyEndpoints)}) == 0`,
      for: '2m',
      severity: 'critical',
      summary: 'No picker of {{ $labels.job }} has an endpoint in {{ $labels.name }} that says how it is.',
      description:
        'With no endpoint at all, every request gets 503. With some that say nothing, requests are shared out blindly.',
    },
    {
      alert: 'PickerEndpointsStale',
      expr: `${stale()} > 0`,
      for: '5m',
      severity: 'warning',
      summary:
        '{{ $value | humanize }} endpoints of {{ $labels.name }} say nothing of themselves to {{ $labels.instance }}.',
      description: 'They are still picked, by load figures of the past.',
    },
    {
      alert: 'PickerScrapeFailures',
      expr: scrapeFailures(),
      for: '10m',
      severity: 'warning',
      summary: '{{ $value | humanize }} scrapes a second of {{ $labels.source_type }} fail in {{ $labels.job }}.',
      description: 'An endpoint gives no answer, or one that lacks figures. It is picked without knowing its load.',
    },
    {
      alert: 'PickerLoadSkewed',
      expr: skewed(),
      for: '15m',
      severity: 'warning',
      summary: 'An endpoint of {{ $labels.set }} has {{ $value | humanize }} requests in flight, its peers hardly any.',
      description: `That is more than ${SKEW.times} times the mean of its peers, for a quarter of an hour.`,
    },
  ],
};
