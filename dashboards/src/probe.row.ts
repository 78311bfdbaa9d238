import { METRICS } from '#telemetry/catalogue';
import { ratio } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';
import { NET_GAIN, SAVED_BY_SERVED } from './probe-gain.ts';
import { allModels } from './coordinator.component.ts';
import { DEFERRED_SHARE } from './service-levels.ts';

/** What the probe costs, and what it is worth. */
export const PROBE: Row = {
  title: 'The probe of decode',
  panels: [
    stack(
      {
        title: 'Probes by result',
        description:
          '`served`: answered from cache. `deferred`: 412, the pipeline goes on. `error` is relayed to the client. `transport_error`: no answer at all, which nobody else notices.',
        unit: 'cps',
      },
      [{ expr: allModels.rate(METRICS.probes, { by: ['result'] }), legend: '{{result}}' }],
    ),
    trend(
      {
        title: '412 rate and failures',
        description:
          'Shares of all probes. A 412 rate near 100 % for hours: the prompts share no prefixes, or the endpoint picker does not send them where their cache is; without the conditional-decode step requests would be faster.',
        unit: 'percentunit',
      },
      [
        DEFERRED_SHARE,
        {
          expr: ratio(
            allModels.rate(METRICS.probes, {
              by: ['result'],
              where: { result: { matches: 'error|transport_error' } },
            }),
            allModels.rate(METRICS.probes),
            ['result'],
          ),
          legend: '{{result}}',
        },
      ],
    ),
    latency(
      {
        title: 'Probe time, mean',
        description:
          'To the response headers. `deferred` is pure cost, paid by every request that is not served. `served` is the first part of its decode.',
      },
      [{ expr: allModels.mean(METRICS.probeDuration, { by: ['result'] }), legend: '{{result}}' }],
    ),
    latency(
      {
        title: 'What a served probe saves, a deferred one costs',
        description:
          'Saved: mean time to first token of requests that went through prefill, less their probe, less that of requests served by the probe. Streams only, and cached prompts are not the same prompts: read it as a size, not as a measurement.',
      },
      [
        { expr: SAVED_BY_SERVED, legend: 'saved by one served' },
        {
          expr: allModels.mean(METRICS.probeDuration, { where: { result: 'deferred' } }),
          legend: 'cost of one deferred',
        },
      ],
    ),
    trend(
      {
        title: 'Net gain of the probe',
        description:
          'Seconds of waiting saved by served probes less seconds added by all others, for each probe. Below zero for long: take the conditional-decode step out, or route by prefix.',
        unit: 's',
      },
      [{ expr: NET_GAIN, legend: 'net gain' }],
      [
        { from: 0, color: 'red' },
        { from: 0, color: 'green' },
      ],
    ),
  ],
};
