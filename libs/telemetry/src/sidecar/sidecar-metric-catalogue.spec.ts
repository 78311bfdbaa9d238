import { describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '../metric-catalogue.ts';
import { SIDECAR_METRICS } from './sidecar-metric-catalogue.ts';

const STAGE = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 30 60 120 300';

type Row = readonly [name: string, type: MetricSpec['type'], labels: string, buckets: string];

/** `sidecar.md` 12; the label `reason` is ours. */
const UPSTREAM: readonly Row[] = [
  ['llm_d_disagg_sidecar_requests_total', 'counter', 'api_type', ''],
  ['llm_d_disagg_sidecar_disagg_requests_total', 'counter', 'disagg_type', ''],
  ['llm_d_disagg_sidecar_encode_duration_seconds', 'histogram', '', STAGE],
  ['llm_d_disagg_sidecar_prefill_duration_seconds', 'histogram', '', STAGE],
  ['llm_d_disagg_sidecar_decode_duration_seconds', 'histogram', '', STAGE],
  ['llm_d_disagg_sidecar_request_errors_total', 'counter', 'stage reason', ''],
  ['moriio_dns_reresolve_total', 'counter', '', ''],
  ['moriio_dns_ip_changed_total', 'counter', '', ''],
  ['moriio_dns_lookup_failures_total', 'counter', '', ''],
];

const catalogue: readonly MetricSpec[] = Object.values(SIDECAR_METRICS);

describe('SIDECAR_METRICS', () => {
  it.each(UPSTREAM)('has %s, a %s by %j, as upstream', (name, type, labels, buckets) => {
    const spec = catalogue.find((metric) => metric.name === name);
    expect([spec?.type, spec?.labels.join(' '), spec?.buckets?.join(' ') ?? '']).toEqual([type, labels, buckets]);
  });

  it('names each metric once', () => {
    expect(new Set(catalogue.map(({ name }) => name)).size).toBe(catalogue.length);
  });

  it.each(catalogue.map(({ name, help }) => [name, help]))('%s says what it is, in a sentence', (_name, help) => {
    expect(help).toMatch(/^[A-Z].*\.$/);
  });

  it.each(catalogue.filter(({ type }) => type === 'histogram'))('$name has borders that grow', ({ buckets = [] }) => {
    expect(buckets.every((border, index) => index === 0 || border > (buckets[index - 1] ?? Infinity))).toBe(true);
  });
});
