import { METRICS } from '#telemetry/catalogue';
import { AT_A_GLANCE } from './at-a-glance.row.ts';
import { percentiles } from './curves.ts';
import { COORDINATOR, chosen } from './coordinator.component.ts';
import { houseDashboard } from './house-dashboard.ts';
import { OBJECTIVES } from './objectives.ts';
import { latency, shares, stack, trend } from './panels.ts';
import { AVAILABILITY, DEFERRED_SHARE } from './service-levels.ts';

const { seconds } = OBJECTIVES.firstToken;
const requests = chosen.rate(METRICS.requests);

/** What is going on, and whether it is well: the first one to open. */
export const overviewDashboard = houseDashboard(
  COORDINATOR,
  {
    uid: 'llm-d-coordinator-overview',
    title: 'Coordinator / Overview',
    description:
      'Traffic, failures and speed as clients see them. Where a number is bad, the other dashboards say why.',
  },
  ['model_name'],
  [
    AT_A_GLANCE,
    {
      title: 'Traffic and failures',
      panels: [
        stack(
          {
            title: 'Traffic by model',
            description:
              'Requests that ended, a second. `other` holds the models beyond the thousandth: name the real ones in `metrics.known_models`.',
            unit: 'reqps',
          },
          [{ expr: chosen.rate(METRICS.requests, { by: ['model_name'] }), legend: '{{model_name}}' }],
        ),
        stack(
          {
            title: 'Errors by code',
            description:
              'Failed requests a second, by whose fault it was. `bad_request`, `upstream_4xx` and `client_closed` are not held against availability; `upstream_*` points at Disaggregation, "Rejections by upstream".',
            unit: 'reqps',
          },
          [
            { expr: chosen.rate(METRICS.requestErrors, { by: ['error_code'] }), legend: '{{error_code}}' },
            { expr: `0 * ${requests}`, legend: 'none' },
          ],
        ),
        trend(
          {
            title: 'Availability over time',
            description:
              'One minus the share of requests that failed by a fault of the platform. The dashed line is the objective; the alerts measure how fast its budget burns.',
            unit: 'percentunit',
          },
          [AVAILABILITY.curve],
          AVAILABILITY.colours,
        ),
        stack(
          {
            title: 'In flight by model',
            description: 'Requests being worked on; `unknown` are those whose body is still being read.',
            unit: 'short',
          },
          [{ expr: chosen.level(METRICS.requestsRunning, { by: ['model_name'] }), legend: '{{model_name}}' }],
        ),
        shares(
          {
            title: 'Stream outcomes',
            description:
              'How streams ended that had begun, all models. `upstream_reset`: workers die. `stalled`: clients do not read. `incomplete`: a worker ended without its end mark. Each has its alert.',
          },
          [{ expr: chosen.rate(METRICS.streamOutcome, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
        trend(
          {
            title: '412 rate',
            description:
              'Probes of decode that were deferred, over all probes, all models. A rise: decode workers lost their caches (restart, eviction) or prompts are new. 100 %: nothing is served from cache, so the probe only costs; see Disaggregation.',
            unit: 'percentunit',
          },
          [DEFERRED_SHARE],
        ),
      ],
    },
    {
      title: 'Speed',
      panels: [
        latency(
          {
            title: 'Time to first token',
            description: `From the request line to the first event with output handed to the client; streams only. The dashed line is the objective. Too high: Phases shows the part that grew.`,
          },
          percentiles(chosen, METRICS.timeToFirstToken),
          [
            { from: 0, color: 'green' },
            { from: seconds, color: 'red' },
          ],
        ),
        latency(
          {
            title: 'Time to first token by path (p95)',
            description:
              'By the phases a request went through. `decode-only` should be the fastest by far; if not, the probe does not pay.',
          },
          [
            {
              expr: chosen.quantile(0.95, METRICS.timeToFirstToken, { by: ['path'] }),
              legend: '{{path}}',
            },
          ],
        ),
        latency(
          {
            title: 'Time per output token',
            description:
              'Between output tokens after the first. Too high: decode workers are saturated, or their clients read slowly.',
          },
          percentiles(chosen, METRICS.timePerOutputToken),
        ),
        latency(
          {
            title: 'Request duration',
            description:
              'From the request line to the last byte. It grows with the length of answers: compare with "Tokens" before worrying.',
          },
          percentiles(chosen, METRICS.requestDuration),
        ),
        trend(
          {
            title: 'Tokens',
            description:
              'Prompt tokens that render counted, prompt tokens found in a cache, and completion tokens, a second. The last two where the worker tells its usage.',
            unit: 'suffix: tok/s',
          },
          [
            { expr: chosen.total(METRICS.inputTokens), legend: 'prompt' },
            { expr: chosen.total(METRICS.cachedTokens), legend: 'prompt, cached' },
            { expr: chosen.total(METRICS.outputTokens), legend: 'completion' },
          ],
        ),
        trend(
          {
            title: 'Encode fan-out width',
            description:
              'Encode calls of one request that had media. Wider than `max_parallel` of the encode step: its calls wait for each other.',
            unit: 'short',
          },
          [...percentiles(chosen, METRICS.encodeWidth), { expr: chosen.mean(METRICS.encodeWidth), legend: 'mean' }],
        ),
      ],
    },
    {
      title: 'By the GenAI conventions',
      panels: [
        stack(
          {
            title: 'Operations',
            description:
              'Requests a second by operation and error type, named by the OpenTelemetry GenAI conventions; without an error type they succeeded.',
            unit: 'reqps',
          },
          [
            {
              expr: chosen.observations(METRICS.genAiDuration, { by: ['gen_ai_operation_name', 'error_type'] }),
              legend: '{{gen_ai_operation_name}} {{error_type}}',
            },
          ],
        ),
        latency(
          {
            title: 'First token (GenAI)',
            description: 'The same as "Time to first token", in the buckets of the conventions: finer below a second.',
          },
          percentiles(chosen, METRICS.genAiFirstToken),
        ),
        latency(
          {
            title: 'Per token (GenAI)',
            description:
              'The same as "Time per output token", in the names of the conventions, to compare with other servers.',
          },
          percentiles(chosen, METRICS.genAiPerToken),
        ),
      ],
    },
  ],
);
