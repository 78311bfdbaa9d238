import { METRICS } from '#telemetry/catalogue';
import { percentiles } from './curves.ts';
import { ratio } from './expression.ts';
import { COORDINATOR, allModels } from './coordinator.component.ts';
import { houseDashboard } from './house-dashboard.ts';
import { latency, shares, stack, trend } from './panels.ts';

const FIRST_TOKEN = 'time to first token';

/** Where the time goes, from the request line to the last byte. */
export const phasesDashboard = houseDashboard(
  COORDINATOR,
  {
    uid: 'llm-d-coordinator-phases',
    title: 'Coordinator / Phases',
    description:
      'Where the time goes. Phases are measured without a model, so this dashboard is about all models together.',
  },
  [],
  [
    {
      title: 'The time to first token, in parts',
      panels: [
        stack(
          {
            title: 'Parts of the time to first token',
            description:
              'Mean seconds of each part; the parts do not overlap, and the dashed line, the whole measured by itself, lies on top of them. The part that grew names the place to look: `render`, `encode`, `prefill` and `decode` are the services behind, `receive` is the client, `coordinator` is this process.',
            unit: 's',
          },
          [
            {
              expr: ratio(
                allModels.total(METRICS.timeToFirstTokenPart, { by: ['part'] }),
                allModels.observations(METRICS.timeToFirstToken),
                ['part'],
              ),
              legend: '{{part}}',
            },
            { expr: allModels.mean(METRICS.timeToFirstToken), legend: FIRST_TOKEN },
          ],
          FIRST_TOKEN,
        ),
        shares(
          {
            title: 'Shares of the time to first token',
            description:
              'The same parts as shares of the whole: what to improve first. `coordinator` above a few percent: the process has too little CPU, see Runtime.',
          },
          [{ expr: allModels.total(METRICS.timeToFirstTokenPart, { by: ['part'] }), legend: '{{part}}' }],
        ),
        latency(
          {
            title: 'Parts, p95',
            description:
              'Slow ends of each part. They do not add up. A part whose p95 grows while its mean stays: some workers or some prompts are slow, not all.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.timeToFirstTokenPart, { by: ['part'] }), legend: '{{part}}' }],
        ),
      ],
    },
    {
      title: 'Steps',
      panels: [
        latency(
          {
            title: 'Steps, mean',
            description:
              'From the begin of a step to its end; `decode` ends with its last byte, so it holds the whole stream. Failed steps count too.',
          },
          [{ expr: allModels.mean(METRICS.stepDuration, { by: ['step'] }), legend: '{{step}}' }],
        ),
        latency(
          {
            title: 'Steps, p95',
            description: 'Slow ends of the steps. Open the trace of a point to see the call that was slow.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.stepDuration, { by: ['step'] }), legend: '{{step}}' }],
        ),
        stack(
          {
            title: 'Steps in progress',
            description:
              'How many requests are in each step. A step that fills up while the others stay is where requests queue.',
            unit: 'short',
          },
          [{ expr: allModels.level(METRICS.stepsRunning, { by: ['step'] }), legend: '{{step}}' }],
        ),
        stack(
          {
            title: 'Step errors',
            description:
              'Failed steps a second by step and code. `bad_request` in render is the client; `upstream_*` is the service that the step calls.',
            unit: 'cps',
          },
          [
            {
              expr: allModels.rate(METRICS.stepErrors, { by: ['step', 'error_code'] }),
              legend: '{{step}}: {{error_code}}',
            },
            { expr: `0 * ${allModels.observations(METRICS.stepDuration)}`, legend: 'none' },
          ],
        ),
      ],
    },
    {
      title: 'Upstream calls',
      panels: [
        stack(
          {
            title: 'Calls by upstream',
            description:
              'Calls a second, each try. Compare with Traffic: `encode` is as many as there are images, `prefill` fewer than requests by what the probe serves.',
            unit: 'reqps',
          },
          [{ expr: allModels.rate(METRICS.upstreamRequests, { by: ['upstream'] }), legend: '{{upstream}}' }],
        ),
        latency(
          {
            title: 'Calls by upstream, mean',
            description: 'From a call to its response headers or its failure; never the streaming of a body.',
          },
          [{ expr: allModels.mean(METRICS.upstreamDuration, { by: ['upstream'] }), legend: '{{upstream}}' }],
        ),
        latency(
          {
            title: 'Calls by upstream, p95',
            description:
              'Slow ends of the calls. A streaming decode answers its head early, a buffered one with its last token: mixed traffic has two humps.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.upstreamDuration, { by: ['upstream'] }), legend: '{{upstream}}' }],
        ),
        latency(
          {
            title: 'Probe cost (p95)',
            description:
              'What the probe takes by what came of it. `deferred` is added to the time to first token of each request that is not served from cache: keep it small.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.probeDuration, { by: ['result'] }), legend: '{{result}}' }],
        ),
        latency(
          {
            title: 'Encode calls (p95)',
            description:
              'One encode call to the end of its answer, by outcome. `cancelled` are siblings of a call that failed. Slow: encode workers are too few.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.encodeDuration, { by: ['outcome'] }), legend: '{{outcome}}' }],
        ),
      ],
    },
    {
      title: 'Media',
      panels: [
        stack(
          {
            title: 'Downloads',
            description:
              'Media downloads a second by result. Errors: the client gets 400 `media_fetch_failed`; the reason is in the log only.',
            unit: 'cps',
          },
          [{ expr: allModels.observations(METRICS.mediaDuration, { by: ['result'] }), legend: '{{result}}' }],
        ),
        latency(
          {
            title: 'Download time (p95)',
            description: 'By result. It is in front of everything else: slow origins delay the whole request.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.mediaDuration, { by: ['result'] }), legend: '{{result}}' }],
        ),
        trend(
          {
            title: 'Download size (p95)',
            description: 'Bytes of one download by kind. Its limit is a parameter of the replace-media-urls step.',
            unit: 'bytes',
          },
          [{ expr: allModels.quantile(0.95, METRICS.mediaBytes, { by: ['media_type'] }), legend: '{{media_type}}' }],
        ),
        trend(
          {
            title: 'Media parts of a request (mean)',
            description: 'By kind, over the requests that have any of it. It drives the fan-out of encode.',
            unit: 'short',
          },
          [{ expr: allModels.mean(METRICS.mediaItems, { by: ['media_type'] }), legend: '{{media_type}}' }],
        ),
      ],
    },
    {
      title: 'Our own share',
      panels: [
        latency(
          {
            title: 'Orchestration overhead',
            description:
              'Time of a request outside of parsing and steps: what the coordinator itself costs. Over a few milliseconds: see Runtime, "Event loop lag".',
          },
          percentiles(allModels, METRICS.overhead),
        ),
        latency(
          {
            title: 'Orchestration overhead by API (p95)',
            description:
              'The same by route: tells large bodies of one API from a busy process, which slows all of them.',
          },
          [{ expr: allModels.quantile(0.95, METRICS.overhead, { by: ['route'] }), legend: '{{route}}' }],
        ),
      ],
    },
  ],
);
