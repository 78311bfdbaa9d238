import { SIDECAR_METRICS } from '#telemetry/sidecar-catalogue';
import type { Row } from './house-dashboard.ts';
import { latency, stack, trend } from './panels.ts';
import type { Curve } from './panels.ts';
import type { Histogram } from './queries.ts';
import { byInstance, chosen } from './sidecar.component.ts';
import { STAGE_FAULTS } from './sidecar.objectives.ts';

function typicalAndSlowest(metric: Histogram): Curve[] {
  return [0.5, 0.99].map((q) => ({ expr: chosen.quantile(q, metric), legend: `p${q * 100}` }));
}

/** How long each stage takes, and why it fails. */
export const SIDECAR_STAGES: Row = {
  title: 'Stages',
  panels: [
    latency(
      {
        title: 'Encode',
        description:
          'Time of the encode stage of a request, all of its items, where it came off. Growing: too few encode workers, or more items a request, see "Encode items". No data: no request has media.',
      },
      typicalAndSlowest(SIDECAR_METRICS.encodeDuration),
    ),
    latency(
      {
        title: 'Prefill',
        description:
          'Time of a remote prefill, tries that were repeated included, where it came off. With connectors that prefill beside decode, it overlaps "Decode". Growing at steady prompts: prefill workers queue.',
      },
      typicalAndSlowest(SIDECAR_METRICS.prefillDuration),
    ),
    latency(
      {
        title: 'Decode',
        description:
          'From the call of the engine beside to its last byte, failed ones too. It grows with the length of answers; the engine has metrics of its own behind the serving port.',
      },
      typicalAndSlowest(SIDECAR_METRICS.decodeDuration),
    ),
    stack(
      {
        title: 'Stage runs',
        description: 'Stages a second that ran: encode and prefill that came off, every decode.',
        unit: 'cps',
      },
      [
        { expr: chosen.observations(SIDECAR_METRICS.encodeDuration), legend: 'encode' },
        { expr: chosen.observations(SIDECAR_METRICS.prefillDuration), legend: 'prefill' },
        { expr: chosen.observations(SIDECAR_METRICS.decodeDuration), legend: 'decode' },
      ],
    ),
    stack(
      {
        title: 'Stage errors',
        description:
          'Stages a second that failed. `refused`, `reset`: the worker is gone or restarts. `status_5xx`: it failed. `invalid_answer`: it failed in a good answer. `status_4xx`, `bad_request`, `client_closed`: the client. `malformed_target`: see "Denied targets".',
        unit: 'cps',
      },
      [{ expr: chosen.rate(SIDECAR_METRICS.stageErrors, { by: ['stage', 'reason'] }), legend: '{{stage}} {{reason}}' }],
    ),
    trend(
      {
        title: 'Stage faults by sidecar',
        description:
          'Failures by a fault of workers, of each sidecar. One alone: its engine (decode) or its network. All of them: the workers of that stage.',
        unit: 'cps',
      },
      [
        {
          expr: byInstance.rate(SIDECAR_METRICS.stageErrors, { by: ['stage'], where: { reason: STAGE_FAULTS } }),
          legend: '{{instance}} {{stage}}',
        },
      ],
    ),
  ],
};
