import { describe, expect, it } from '@jest/globals';
import { SidecarMetrics } from './sidecar-metrics.ts';

describe('SidecarMetrics, before any request', () => {
  it.each([
    { name: 'requests_total', series: 4 },
    { name: 'disagg_requests_total', series: 3 },
    { name: 'request_errors_total', series: 33 },
    { name: 'skipped_stages_total', series: 10 },
    { name: 'denied_targets_total', series: 3 },
    { name: 'prefill_retries_total', series: 1 },
  ])('has every series of $name at 0', async ({ name, series }) => {
    const stored = await new SidecarMetrics().registry.getSingleMetric(`llm_d_disagg_sidecar_${name}`)?.get();
    expect(stored?.values.map(({ value }) => value)).toEqual(Array.from({ length: series }, () => 0));
  });
});
