import { PICKER_METRICS } from '#telemetry/picker-catalogue';
import type { Row } from './house-dashboard.ts';
import { number } from './panels.ts';
import { chosen } from './picker.component.ts';
import { PICKER_OBJECTIVES, REFUSALS } from './picker.objectives.ts';

const decisions = chosen.observations(PICKER_METRICS.schedulerDuration);

/** Whether it is well, in six numbers. */
export const PICKER_AT_A_GLANCE: Row = {
  title: 'At a glance',
  columns: 6,
  panels: [
    number(
      {
        title: 'Decisions now',
        description: 'Scheduling cycles a second. No data: nothing is scraped, or nothing was ever asked.',
        unit: 'cps',
      },
      { expr: decisions, legend: 'decisions' },
    ),
    number(
      {
        title: 'Refusals by reason',
        description:
          'Requests a second that got no endpoint, a 412 of the probe aside. `ServiceUnavailable`: no endpoint at all. `ResourceExhausted`: load is shed, or filters left none. `Internal`: a plugin failed.',
        unit: 'reqps',
      },
      [
        {
          expr: chosen.rate(PICKER_METRICS.requestErrors, { by: ['error_code'], where: { error_code: REFUSALS } }),
          legend: '{{error_code}}',
        },
        { expr: `0 * ${decisions}`, legend: 'none' },
      ],
    ),
    number(
      {
        title: 'Decision time now',
        description: `Of a scheduling cycle; the budget of p99 is ${PICKER_OBJECTIVES.decision * 1000} ms. Red: "Time of a decision by plugin" says which one takes it.`,
        unit: 's',
      },
      [0.5, 0.99].map((q) => ({
        expr: chosen.quantile(q, PICKER_METRICS.schedulerDuration),
        legend: `p${q * 100}`,
      })),
      [
        { from: 0, color: 'green' },
        { from: PICKER_OBJECTIVES.decision, color: 'red' },
      ],
    ),
    number(
      {
        title: 'Endpoints ready',
        description:
          'Endpoints of each pool whose metrics are fresh, as the picker sees it that sees most. Fewer than there are pods: see "Scrape failures".',
        unit: 'short',
      },
      { expr: chosen.highest(PICKER_METRICS.readyEndpoints, { by: ['name'] }), legend: '{{name}}' },
      [
        { from: 0, color: 'red' },
        { from: 1, color: 'green' },
      ],
    ),
    number(
      {
        title: 'In flight now',
        description:
          'Requests that were sent to an endpoint and are not over. Growing at steady traffic: workers got slower.',
        unit: 'short',
      },
      { expr: chosen.level(PICKER_METRICS.requestsRunning), legend: 'in flight' },
    ),
    number(
      {
        title: 'Pickers',
        description: 'Picker processes that Prometheus reaches. Fewer than deployed: see "Targets".',
        unit: 'short',
      },
      { expr: chosen.level(PICKER_METRICS.info), legend: 'pickers' },
    ),
  ],
};
