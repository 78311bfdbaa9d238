import { METRICS } from '#telemetry/catalogue';
import { percentiles } from './curves.ts';
import { portion } from './expression.ts';
import { COORDINATOR, allModels, chosen } from './coordinator.component.ts';
import { houseDashboard } from './house-dashboard.ts';
import { latency, shares, stack, trend } from './panels.ts';
import { PROBE } from './probe.row.ts';

const handoffs = allModels.rate(METRICS.kvHandoff, { by: ['connector'] });
const calls = allModels.rate(METRICS.upstreamRequests, { by: ['upstream'] });
const paths = chosen.rate(METRICS.executionPath);

/** Whether splitting a request into phases pays, and whether its parts work together. */
export const disaggregationDashboard = houseDashboard(
  COORDINATOR,
  {
    uid: 'llm-d-coordinator-disaggregation',
    title: 'Coordinator / Disaggregation',
    description:
      'Which phases requests go through, what the probe of decode is worth, and whether what one phase computes reaches the next.',
  },
  ['model_name'],
  [
    {
      title: 'Execution path',
      panels: [
        shares(
          {
            title: 'Paths',
            description:
              'Requests by the phases they went through. `decode-only` is what the probe served. `prefill-fallback` is a failed prefill that decode made up for: it should be zero.',
          },
          [{ expr: chosen.rate(METRICS.executionPath, { by: ['path'] }), legend: '{{path}}' }],
        ),
        latency(
          {
            title: 'Mean time to first token by path',
            description: 'What each path costs the client. Streams only.',
          },
          [{ expr: chosen.mean(METRICS.timeToFirstToken, { by: ['path'] }), legend: '{{path}}' }],
        ),
        trend(
          {
            title: 'Prefill fallback',
            description:
              'Share of requests whose prefill failed and whose decode computed the prompt. Clients do not see a failure, but wait longer, and decode workers do work that is not theirs.',
            unit: 'percentunit',
          },
          [
            {
              expr: portion(chosen.rate(METRICS.executionPath, { where: { path: 'prefill-fallback' } }), paths),
              legend: 'prefill-fallback',
            },
          ],
        ),
      ],
    },
    PROBE,
    {
      title: 'KV hand-over',
      panels: [
        stack(
          {
            title: 'Hand-overs by result',
            description:
              'What prefill gave for decode to fetch. `missing` with kv-shared-storage is normal, since nothing is on the wire; with any other connector decode computes the prompt again.',
            unit: 'cps',
          },
          [
            {
              expr: allModels.rate(METRICS.kvHandoff, { by: ['connector', 'result'] }),
              legend: '{{connector}} {{result}}',
            },
          ],
        ),
        trend(
          {
            title: 'Hand-overs without parameters',
            description:
              'Share of hand-overs that were not complete, by connector. Anything above zero but for kv-shared-storage: prefill workers run another connector than the coordinator, or none.',
            unit: 'percentunit',
          },
          [
            {
              expr: portion(
                allModels.rate(METRICS.kvHandoff, { by: ['connector'], where: { result: { not: 'complete' } } }),
                handoffs,
              ),
              legend: '{{connector}}',
            },
          ],
        ),
        latency(
          {
            title: 'Hand-over age',
            description:
              "From prefill's answer to decode's request. Workers keep the blocks for a while only: an age that nears their lease loses them, and decode computes the prompt again.",
          },
          percentiles(allModels, METRICS.kvHandoffAge),
        ),
      ],
    },
    {
      title: 'Encode',
      panels: [
        stack(
          {
            title: 'Encode calls by outcome',
            description:
              'Calls that ended, a second. One `error` fails its request and cancels the calls beside it, so count errors, not `cancelled`.',
            unit: 'cps',
          },
          [{ expr: allModels.observations(METRICS.encodeDuration, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
        latency(
          {
            title: 'Encode calls, mean',
            description:
              'To the end of the answer. With a width beyond `max_parallel`, a request waits for several rounds of it.',
          },
          [{ expr: allModels.mean(METRICS.encodeDuration, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
        trend(
          {
            title: 'Fan-out width',
            description: 'Encode calls of one request; equal images count once.',
            unit: 'short',
          },
          percentiles(allModels, METRICS.encodeWidth),
        ),
      ],
    },
    {
      title: 'Retries and rejections',
      panels: [
        stack(
          {
            title: 'Retries by upstream',
            description:
              'Calls sent again on a new connection, a second. `refused`: nobody listens. `reset`: a kept connection was dead; a few after a rollout are normal.',
            unit: 'cps',
          },
          [
            {
              expr: allModels.rate(METRICS.upstreamRetries, { by: ['upstream', 'reason'] }),
              legend: '{{upstream}} {{reason}}',
            },
            { expr: `0 * ${allModels.rate(METRICS.upstreamRequests)}`, legend: 'none' },
          ],
        ),
        stack(
          {
            title: 'Rejections by upstream',
            description:
              'Answers of 4xx and 5xx a second, a 412 of the probe apart. `429` and `503` are back-pressure: add workers or shed load. `other_5xx` are faults: read the worker’s log.',
            unit: 'cps',
          },
          [
            {
              expr: allModels.rate(METRICS.upstreamRejections, { by: ['upstream', 'status'] }),
              legend: '{{upstream}} {{status}}',
            },
            { expr: `0 * ${allModels.rate(METRICS.upstreamRequests)}`, legend: 'none' },
          ],
        ),
        trend(
          {
            title: 'Rejected share of calls',
            description:
              'Rejections over calls of the same upstream. Tells one sick phase from a sick gateway, where all rise.',
            unit: 'percentunit',
          },
          [
            {
              expr: portion(allModels.rate(METRICS.upstreamRejections, { by: ['upstream'] }), calls),
              legend: '{{upstream}}',
            },
          ],
        ),
      ],
    },
  ],
);
