import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { percentiles } from './curves.ts';
import type { Row } from './house-dashboard.ts';
import { latency, shares, stack, trend } from './panels.ts';
import { byInstance, chosen } from './sidecar.component.ts';

const INFERENCE = { where: { api_type: { not: 'passthrough' } } } as const;

/** What came in, which stages it was given, and how it ended. */
export const SIDECAR_REQUESTS: Row = {
  title: 'Requests by kind',
  panels: [
    stack(
      {
        title: 'Traffic by API',
        description:
          'Requests a second, by the fields that limit their answers. `passthrough` is every path that is not driven through stages: mostly the endpoint picker that reads the metrics of the engine.',
        unit: 'reqps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.requests, { by: ['api_type'] }), legend: '{{api_type}}' }],
    ),
    shares(
      {
        title: 'Requests by stages',
        description:
          'Share of inference requests by the stages that ran apart from the engine beside. `none` was refused before that was known. Another share than the endpoint picker decides: see "Skipped stages".',
      },
      [
        {
          expr: chosen.observations(SIDECAR_METRICS.requestDuration, { by: ['disagg_type'], ...INFERENCE }),
          legend: '{{disagg_type}}',
        },
      ],
    ),
    stack(
      {
        title: 'Disaggregated by type',
        description: 'Requests a second with a stage on another worker, by which stages those were.',
        unit: 'reqps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.disaggregated, { by: ['disagg_type'] }), legend: '{{disagg_type}}' }],
    ),
    stack(
      {
        title: 'Answers by status and end',
        description:
          'Answers a second. `none`: no answer was sent, the client had left. `upstream_reset`: a worker broke off behind the head. `drained`: the pod was stopped before they were done.',
        unit: 'reqps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.answers, { by: ['status', 'outcome'] }), legend: '{{status}} {{outcome}}' }],
    ),
    latency(
      {
        title: 'Request duration',
        description:
          'Of inference requests, from the first byte to the last of the answer. It grows with the length of answers: compare with "Time to first token" before worrying.',
      },
      percentiles(chosen, SIDECAR_METRICS.requestDuration, INFERENCE),
    ),
    trend(
      {
        title: 'In flight by sidecar',
        description:
          'Requests that each sidecar is answering. One with far more than the others: its engine is slow, or the endpoint picker prefers it.',
        unit: 'short',
      },
      [{ expr: byInstance.level(SIDECAR_METRICS.requestsRunning), legend: '{{instance}}' }],
    ),
  ],
};
