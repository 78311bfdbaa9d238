import { METRICS } from '#telemetry/catalogue';
import type { Row } from './house-dashboard.ts';
import { OBJECTIVES } from './objectives.ts';
import { number } from './panels.ts';
import { chosen } from './coordinator.component.ts';
import { AVAILABILITY, DEFERRED_SHARE, FIRST_TOKEN_IN_TIME } from './service-levels.ts';

const { share, seconds } = OBJECTIVES.firstToken;

/** Whether it is well, in six numbers. */
export const AT_A_GLANCE: Row = {
  title: 'At a glance',
  columns: 6,
  panels: [
    number(
      {
        title: 'Requests',
        description: 'Inference requests that ended, a second. No data: nothing is scraped, or nothing was ever asked.',
        unit: 'reqps',
      },
      { expr: chosen.rate(METRICS.requests), legend: 'requests' },
    ),
    number(
      {
        title: 'Availability',
        description: `Share of requests that did not fail by a fault of the platform; the objective is ${OBJECTIVES.availability * 100} %. Below: look at "Errors by code", then at Disaggregation.`,
        unit: 'percentunit',
      },
      AVAILABILITY.curve,
      AVAILABILITY.colours,
    ),
    number(
      {
        title: 'First token in time',
        description: `Share of streams with their first token within ${seconds} s; the objective is ${share * 100} %. Below: Phases says which part grew.`,
        unit: 'percentunit',
      },
      FIRST_TOKEN_IN_TIME.curve,
      FIRST_TOKEN_IN_TIME.colours,
    ),
    number(
      {
        title: '412 rate now',
        description:
          'Share of probes that decode deferred, all models. It has no right value, but a sudden change has a cause: see "412 rate".',
        unit: 'percentunit',
      },
      DEFERRED_SHARE,
    ),
    number(
      {
        title: 'In flight now',
        description: 'Requests being worked on. Growing at steady traffic: something behind got slower.',
        unit: 'short',
      },
      { expr: chosen.level(METRICS.requestsRunning), legend: 'in flight' },
    ),
    number(
      {
        title: 'Replicas',
        description: 'Coordinator processes that Prometheus reaches. Fewer than deployed: see Runtime.',
        unit: 'short',
      },
      { expr: chosen.level(METRICS.buildInfo), legend: 'replicas' },
    ),
  ],
};
