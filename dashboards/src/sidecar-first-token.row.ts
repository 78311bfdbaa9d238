import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import { percentiles } from './curves.ts';
import { ratio } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { latency, trend } from './panels.ts';
import { chosen } from './sidecar.component.ts';
import { SIDECAR_OBJECTIVES } from './sidecar.objectives.ts';

const { timeToFirstToken } = SIDECAR_METRICS;
const { firstToken } = SIDECAR_OBJECTIVES;
const BUDGET = [
  { from: 0, color: 'green' },
  { from: firstToken, color: 'red' },
] as const;

/** How long clients wait for the first event with output. Streams only: an answer in one piece has no first token. */
export const SIDECAR_FIRST_TOKEN: Row = {
  title: 'First token',
  panels: [
    latency(
      {
        title: 'Time to first token',
        description:
          'From the first byte of the request to the first event with output, remote stages included. The dashed line is the budget of p95. Above: see "Prefill", then the queue of the engine.',
      },
      percentiles(chosen, timeToFirstToken),
      BUDGET,
    ),
    latency(
      {
        title: 'Time to first token by stages (p95)',
        description:
          'By the stages that ran apart. `prefill-decode` far above `decode-only` at the same prompts: remote prefill costs more than it saves; look at the decider of the endpoint picker.',
      },
      [{ expr: chosen.quantile(0.95, timeToFirstToken, { by: ['disagg_type'] }), legend: '{{disagg_type}}' }],
      BUDGET,
    ),
    trend(
      {
        title: 'Streams within budget',
        description: `Share of streams whose first token came within ${firstToken} s. Falling in one kind of stages alone: its workers.`,
        unit: 'percentunit',
      },
      [
        {
          expr: ratio(chosen.notAbove(timeToFirstToken, firstToken), chosen.observations(timeToFirstToken)),
          legend: `within ${firstToken} s`,
        },
      ],
    ),
  ],
};
