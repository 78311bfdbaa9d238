import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import { percentiles } from './curves.ts';
import { ratio } from './expression.ts';
import type { Row } from './house-dashboard.ts';
import { latency, shares, stack } from './panels.ts';
import { chosen } from './picker.component.ts';
import { PICKER_OBJECTIVES } from './picker.objectives.ts';

const BY_PLUGIN = { by: ['extension_point', 'plugin_name'] } as const;
const PLUGIN = '{{extension_point}} {{plugin_name}}';

/** What was decided, and what deciding took. */
export const PICKER_DECISIONS: Row = {
  title: 'Decisions',
  panels: [
    latency(
      {
        title: 'Decision time',
        description:
          'Of a scheduling cycle: profiles, filters, scorers, pickers. The dashed line is the budget of p99. Above: look at plugins beside, at the number of endpoints, at "Event loop lag (p99)".',
      },
      percentiles(chosen, PICKER_METRICS.schedulerDuration),
      [
        { from: 0, color: 'green' },
        { from: PICKER_OBJECTIVES.decision, color: 'red' },
      ],
    ),
    latency(
      {
        title: 'Time of a decision by plugin',
        description:
          'Seconds that each plugin takes for each decision, over all profiles and at every extension point, those of the answer too. The ten that take most.',
      },
      [
        {
          expr: `topk(10, ${ratio(
            chosen.total(PICKER_METRICS.pluginDuration, BY_PLUGIN),
            chosen.observations(PICKER_METRICS.schedulerDuration),
            BY_PLUGIN.by,
          )})`,
          legend: PLUGIN,
        },
      ],
    ),
    latency(
      {
        title: 'Slowest plugins (p99)',
        description:
          'The five whose slowest calls are slowest. A producer that waits for another service shows here and in "Request processing", not in "Decision time".',
      },
      [{ expr: `topk(5, ${chosen.quantile(0.99, PICKER_METRICS.pluginDuration, BY_PLUGIN)})`, legend: PLUGIN }],
    ),
    stack(
      {
        title: 'Attempts by status',
        description: 'Scheduling cycles a second that found an endpoint, and those that did not.',
        unit: 'cps',
      },
      [{ expr: chosen.rate(PICKER_METRICS.schedulerAttempts, { by: ['status'] }), legend: '{{status}}' }],
    ),
    shares(
      {
        title: 'Decisions by endpoint',
        description:
          'Share of decisions that each endpoint got. One with far more than its peers of the same role: prompts that begin alike, or peers that are stale. See "In-flight requests by endpoint".',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.schedulerAttempts, {
            by: ['endpoint_name'],
            where: { status: 'success' },
          }),
          legend: '{{endpoint_name}}',
        },
      ],
    ),
    shares(
      {
        title: 'Disaggregation',
        description:
          'Share of requests by the stages that were given a worker of their own. A sudden change: the decider sees other prompts, or a role has no endpoint.',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.disaggregations, { by: ['decision_type'] }),
          legend: '{{decision_type}}',
        },
      ],
    ),
    latency(
      {
        title: 'Request processing',
        description:
          'From the request headers to the replies, refusals too. It holds the time in which the body arrives: compare with "Decision time" before looking for a fault here.',
      },
      percentiles(chosen, PICKER_METRICS.requestProcessing),
    ),
    latency(
      {
        title: 'Response processing',
        description: 'Time that the picker spends on one answer, all chunks together. It is added to every stream.',
      },
      percentiles(chosen, PICKER_METRICS.responseProcessing),
    ),
  ],
};
