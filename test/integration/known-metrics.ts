import { Registry, collectDefaultMetrics } from 'prom-client';
import { DEAD_LETTER_REASONS } from '#broker';
import { ASYNC_WORKER_METRICS } from '#telemetry/async-worker-catalogue';
import { METRICS } from '#telemetry/catalogue';
import type { MetricSpec } from '#telemetry/catalogue';
import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import {
  ASYNC_HOLDS,
  ASYNC_MODES,
  ASYNC_QUOTA,
  ASYNC_SUBMISSIONS,
  ERROR_CODES,
  EXECUTION_PATHS,
  PARTS,
  PROBE_RESULTS,
  REDIS_FAILURES,
  REJECTIONS,
  ROUTES,
  STREAM_OUTCOMES,
  UPSTREAMS,
} from '../../libs/telemetry/src/label-values.ts';
import { DISPATCH_OUTCOMES, RECOVERIES } from '../../libs/telemetry/src/async-worker/async-worker-label-values.ts';
import { REFUSALS } from '../../libs/scheduling/src/scheduling.error.ts';
import {
  API_TYPES,
  DENIED_ROLES,
  DISAGG_TYPES,
  SKIP_REASONS,
  STAGES,
  STAGE_FAILURES,
} from '../../libs/telemetry/src/sidecar/sidecar-label-values.ts';
import type { Selected } from './promql.ts';

/** What a query may name: the labels of each series there is, by its name. */
export type KnownSeries = ReadonlyMap<string, ReadonlySet<string>>;

/** What each component says of itself. */
export const CATALOGUES: readonly Readonly<Record<string, MetricSpec>>[] = [
  METRICS,
  PICKER_METRICS,
  SIDECAR_METRICS,
  ASYNC_WORKER_METRICS,
];

/** Labels that a scraper adds. */
const TARGET = ['namespace', 'job', 'instance', 'worker'];
/** What Prometheus says of each target. */
const SCRAPE = ['up', 'scrape_duration_seconds', 'scrape_samples_scraped'];

/** How a call or a download ended. */
const ENDS = ['success', 'error', 'cancelled'];
const HANDOFFS = ['complete', 'missing', 'not_object'];

/** Values of labels whose set is closed, wherever they stand. */
const BY_LABEL: Readonly<Record<string, readonly string[]>> = {
  upstream: UPSTREAMS,
  error_code: ERROR_CODES,
  path: EXECUTION_PATHS,
  part: PARTS,
  status: REJECTIONS,
  route: ROUTES,
  api_type: API_TYPES,
  disagg_type: [...DISAGG_TYPES, 'none'],
  stage: STAGES,
  role: DENIED_ROLES,
};

/** Values of labels that mean something else on each metric. */
const BY_METRIC: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  [METRICS.streamOutcome.name]: { outcome: STREAM_OUTCOMES },
  [METRICS.encodeDuration.name]: { outcome: ENDS },
  [METRICS.probes.name]: { result: PROBE_RESULTS },
  [METRICS.probeDuration.name]: { result: PROBE_RESULTS },
  [METRICS.mediaDuration.name]: { result: ENDS },
  [METRICS.kvHandoff.name]: { result: HANDOFFS },
  [METRICS.asyncSubmissions.name]: { mode: ASYNC_MODES, outcome: ASYNC_SUBMISSIONS },
  [METRICS.asyncHoldDuration.name]: { outcome: ASYNC_HOLDS },
  [METRICS.asyncQuota.name]: { outcome: ASYNC_QUOTA },
  [METRICS.asyncRedisErrors.name]: { failure: REDIS_FAILURES },
  [PICKER_METRICS.requestErrors.name]: { error_code: [...Object.keys(REFUSALS), 'ModelServerError', 'Unknown'] },
  [PICKER_METRICS.schedulerAttempts.name]: { status: ['success', 'failure'] },
  [SIDECAR_METRICS.stageErrors.name]: { reason: STAGE_FAILURES },
  [SIDECAR_METRICS.skipped.name]: { reason: SKIP_REASONS },
  [ASYNC_WORKER_METRICS.messages.name]: { outcome: DISPATCH_OUTCOMES },
  [ASYNC_WORKER_METRICS.recovered.name]: { why: RECOVERIES },
  [ASYNC_WORKER_METRICS.deadLetters.name]: { reason: DEAD_LETTER_REASONS },
  [ASYNC_WORKER_METRICS.redisErrors.name]: { failure: REDIS_FAILURES },
};

/** What a selector compares labels with and no series has, in a pattern word by word. */
export function impossibleValues({ name, labels }: Selected): string[] {
  return [...labels].flatMap(([label, value]) => {
    const possible = BY_METRIC[metricOf(name)]?.[label] ?? BY_LABEL[label];
    return possible === undefined ? [] : value.split('|').filter((word) => !possible.includes(word));
  });
}

/** The metric that a series of a histogram belongs to. */
export function metricOf(series: string): string {
  return series.replace(/_(bucket|sum|count)$/, '');
}

/** The series of the catalogues, of the client library and of Prometheus itself. */
export function knownSeries(): KnownSeries {
  const library = new Registry();
  collectDefaultMetrics({ register: library });
  const metrics = [
    ...CATALOGUES.flatMap((catalogue) => Object.values(catalogue)),
    ...library.getMetricsAsArray().map(described),
    ...SCRAPE.map((name) => ({ name, type: 'gauge', labels: [] })),
  ];
  return new Map(metrics.flatMap(seriesOf));
}

interface Described {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

function described(metric: object): Described {
  // the library's types leave out what its objects have: name, type and label names
  const { name, type, labelNames } = metric as { name: string; type: string; labelNames: string[] };
  return { name, type, labels: labelNames };
}

function seriesOf({ name, type, labels }: Described): [string, ReadonlySet<string>][] {
  const own = [...labels, ...TARGET];
  if (type !== 'histogram') return [[name, new Set(own)]];
  return [
    [`${name}_bucket`, new Set([...own, 'le'])],
    [`${name}_sum`, new Set(own)],
    [`${name}_count`, new Set(own)],
  ];
}
