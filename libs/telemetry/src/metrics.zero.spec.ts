import { describe, expect, it } from '@jest/globals';
import { STREAM_OUTCOMES } from './label-values.ts';
import { Metrics } from './metrics.ts';

describe('Metrics, before any request', () => {
  it.each([
    { name: 'llm_d_coordinator_stream_outcome_total', series: STREAM_OUTCOMES.length },
    { name: 'llm_d_coordinator_conditional_decode_probes_total', series: 4 },
    { name: 'llm_d_coordinator_upstream_request_total', series: 6 },
    { name: 'llm_d_coordinator_upstream_retries_total', series: 12 },
    { name: 'llm_d_coordinator_upstream_rejections_total', series: 24 },
  ])('has every series of $name at 0', async ({ name, series }) => {
    const stored = await new Metrics().registry.getSingleMetric(name)?.get();
    expect(stored?.values.map(({ value }) => value)).toEqual(Array.from({ length: series }, () => 0));
  });

  it('has no series of a label that clients choose', async () => {
    const stored = await new Metrics().registry.getSingleMetric('llm_d_coordinator_request_total')?.get();
    expect(stored?.values).toEqual([]);
  });
});
