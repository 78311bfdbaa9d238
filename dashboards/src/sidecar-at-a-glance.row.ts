import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { portion } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { number } from './panels.ts';
import { chosen } from './sidecar.component.ts';
import { SIDECAR_OBJECTIVES, STAGE_FAULTS } from './sidecar.objectives.ts';

/** What is driven through stages; the rest is passed through, scrapes of the engine among it. */
const driven = chosen.rate(SIDECAR_METRICS.requests, { where: { api_type: { not: 'passthrough' } } });

/** Whether it is well, in six numbers. */
export const SIDECAR_AT_A_GLANCE: Row = {
  title: 'At a glance',
  columns: 6,
  panels: [
    number(
      {
        title: 'Requests now',
        description:
          'Inference requests a second, what is passed through aside. No data: nothing is scraped. Zero: the gateway sends none.',
        unit: 'reqps',
      },
      { expr: driven, legend: 'requests' },
    ),
    number(
      {
        title: 'Failed stages by stage',
        description:
          'Stages a second that failed by a fault of their workers. Red: "Stage errors" says why, "Decode", "Prefill" and "Encode" whether all or some.',
        unit: 'cps',
      },
      {
        expr: chosen.rate(SIDECAR_METRICS.stageErrors, { by: ['stage'], where: { reason: STAGE_FAULTS } }),
        legend: '{{stage}}',
      },
      [
        { from: 0, color: 'green' },
        { from: 0.01, color: 'red' },
      ],
    ),
    number(
      {
        title: 'First token now',
        description: `Of streams, from the first byte of the request; the budget of p95 is ${SIDECAR_OBJECTIVES.firstToken} s. Red: "Prefill" and "Encode" say whether it is a remote stage, "Decode" and the engine's own metrics whether not.`,
        unit: 's',
      },
      [0.5, 0.95].map((q) => ({
        expr: chosen.quantile(q, SIDECAR_METRICS.timeToFirstToken),
        legend: `p${q * 100}`,
      })),
      [
        { from: 0, color: 'green' },
        { from: SIDECAR_OBJECTIVES.firstToken, color: 'red' },
      ],
    ),
    number(
      {
        title: 'Disaggregated',
        description:
          'Share of inference requests with a stage on another worker. A fall to zero: the endpoint picker names no worker any more, see "Disaggregation" of its dashboard.',
        unit: 'percentunit',
      },
      { expr: portion(chosen.rate(SIDECAR_METRICS.disaggregated), driven), legend: 'disaggregated' },
    ),
    number(
      {
        title: 'In flight now',
        description: 'Requests being answered. Growing at steady traffic: engines or prefill workers got slower.',
        unit: 'short',
      },
      { expr: chosen.level(SIDECAR_METRICS.requestsRunning), legend: 'in flight' },
    ),
    number(
      {
        title: 'Sidecars',
        description: 'Sidecars that Prometheus reaches, one in each decode pod. Fewer than pods: see "Targets".',
        unit: 'short',
      },
      { expr: chosen.level(SIDECAR_METRICS.info), legend: 'sidecars' },
    ),
  ],
};
