import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import type { Row } from './house-dashboard.ts';
import { stack, trend } from './panels.ts';
import type { Curve } from './panels.ts';
import { byInstance, chosen } from './picker.component.ts';
import type { Gauge } from './queries.ts';

type PoolGauge = Gauge & { readonly labels: readonly ['name'] };

/** Mean and deviation over the pool; pickers see the same, so that of the highest is shown. */
function spread(mean: PoolGauge, deviation: PoolGauge): Curve[] {
  return [
    { expr: chosen.highest(mean, { by: ['name'] }), legend: '{{name}} mean' },
    { expr: chosen.highest(deviation, { by: ['name'] }), legend: '{{name}} deviation' },
  ];
}

const noFailure = { expr: `0 * ${chosen.level(PICKER_METRICS.info)}`, legend: 'none' };

/** How endpoints are, as they say themselves and as the picker counts. */
export const PICKER_LOAD: Row = {
  title: 'Endpoint load',
  panels: [
    trend(
      {
        title: 'Queue',
        description:
          'Requests that wait at an endpoint, over the pool. A high mean: workers are too few. A high deviation at a low mean: load is not shared, see "Queue by endpoint".',
        unit: 'short',
      },
      spread(PICKER_METRICS.queueMean, PICKER_METRICS.queueSpread),
    ),
    trend(
      {
        title: 'Running',
        description: 'Requests that an endpoint works on, over the pool. Roles differ: decode runs more than prefill.',
        unit: 'short',
      },
      spread(PICKER_METRICS.runningMean, PICKER_METRICS.runningSpread),
    ),
    trend(
      {
        title: 'KV cache in use',
        description:
          'Part of the KV cache that is in use, over the pool. Near 100 % workers evict and preempt: add decode workers.',
        unit: 'percentunit',
      },
      spread(PICKER_METRICS.kvUsageMean, PICKER_METRICS.kvUsageSpread),
    ),
    trend(
      {
        title: 'Queue by endpoint',
        description: 'Requests that wait at each endpoint. One alone: it is slow, or too much is sent to it.',
        unit: 'short',
      },
      [
        {
          expr: chosen.highest(PICKER_METRICS.endpointQueue, { by: ['model_server_endpoint'] }),
          legend: '{{model_server_endpoint}}',
        },
      ],
    ),
    stack(
      {
        title: 'In-flight requests by endpoint',
        description:
          'Requests that were sent to each endpoint and are not over, all pickers together. Never falling to zero in quiet hours: some are never given back.',
        unit: 'short',
      },
      [
        {
          expr: chosen.level(PICKER_METRICS.inFlightRequests, { by: ['endpoint_name'] }),
          legend: '{{endpoint_name}}',
        },
      ],
    ),
    stack(
      {
        title: 'In-flight tokens by endpoint',
        description:
          'Tokens that were sent to each endpoint and have not been worked on. Few requests with many tokens: long prompts.',
        unit: 'short',
      },
      [{ expr: chosen.level(PICKER_METRICS.inFlightTokens, { by: ['endpoint_name'] }), legend: '{{endpoint_name}}' }],
    ),
    trend(
      {
        title: 'Ready endpoints',
        description:
          'Endpoints whose metrics are fresh, as each picker sees it. Pickers that differ: the network of one.',
        unit: 'short',
      },
      [{ expr: byInstance.level(PICKER_METRICS.readyEndpoints, { by: ['name'] }), legend: '{{instance}} {{name}}' }],
    ),
    trend(
      {
        title: 'Scrape failures',
        description:
          'Scrapes of endpoints a second that got no answer, and answers that lack a figure. An endpoint is asked up to twenty times a second. The first: address, port, network policy. The second: another engine than configured.',
        unit: 'cps',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.pollErrors, { by: ['source_type'] }),
          legend: 'no answer, {{source_type}}',
        },
        {
          expr: chosen.rate(PICKER_METRICS.extractErrors, { by: ['source_type', 'extractor_type'] }),
          legend: 'figures missing, {{extractor_type}}',
        },
        noFailure,
      ],
    ),
  ],
};
