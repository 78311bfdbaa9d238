import { describe, expect, it } from '@jest/globals';
import { EndpointStore } from '#scheduling';
import type { EndpointLoad } from '#scheduling';
import { PickerMetrics } from './picker-metrics.ts';
import { PoolGauges } from './pool-gauges.ts';

const NOW = 10_000;

function poolOf(...loads: Partial<EndpointLoad>[]): {
  store: EndpointStore;
  metrics: PickerMetrics;
  gauges: PoolGauges;
} {
  const store = new EndpointStore();
  const metrics = new PickerMetrics();
  const names = loads.map((_, index) => `pod-${index}`);
  const endpoints = names.map((name) => ({
    id: `ns/${name}`,
    namespace: 'ns',
    name,
    address: '10.0.0.1',
    port: 80,
    labels: {},
  }));
  store.replace(endpoints);
  const gauges = new PoolGauges(metrics, store, { name: 'pool', staleness: 2_000 });
  endpoints.forEach((endpoint, index) => {
    store.observe(endpoint, loads[index] ?? {});
  });
  return { store, metrics, gauges };
}

describe('the gauges of a pool', () => {
  it('are means and deviations over the endpoints whose figures are fresh', async () => {
    const { metrics, gauges } = poolOf(
      { waiting: 2, running: 1, kvUsage: 0.2, updatedAt: NOW },
      { waiting: 4, running: 3, kvUsage: 0.4, updatedAt: NOW - 2_000 },
      { waiting: 100, updatedAt: NOW - 2_001 },
      {},
    );
    gauges.update(NOW);
    const text = await metrics.registry.metrics();
    for (const sample of [
      'ready_endpoints{name="pool"} 2',
      'average_queue_size{name="pool"} 3',
      'std_dev_queue_size{name="pool"} 1',
      'average_running_requests{name="pool"} 2',
      'per_endpoint_queue_size{name="pool",model_server_endpoint="pod-0"} 2',
    ]) {
      expect(text).toContain(`llm_d_epp_${sample}\n`);
    }
    expect(text).not.toContain('model_server_endpoint="pod-2"');
  });

  it('are zero for a pool without endpoints', async () => {
    const { metrics, gauges } = poolOf();
    gauges.update(NOW);
    const text = await metrics.registry.metrics();
    expect(text).toContain('llm_d_epp_ready_endpoints{name="pool"} 0\n');
    expect(text).toContain('llm_d_epp_average_queue_size{name="pool"} 0\n');
  });

  it('lose the series of an endpoint that has gone', async () => {
    const { store, metrics, gauges } = poolOf({ waiting: 2, updatedAt: NOW });
    gauges.update(NOW);
    store.replace([]);
    gauges.update(NOW);
    expect(await metrics.registry.metrics()).not.toContain('model_server_endpoint=');
  });
});
