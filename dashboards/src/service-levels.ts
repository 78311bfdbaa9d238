import { METRICS } from '#telemetry/catalogue';
import { portion, ratio } from './expression.ts';
import { FAULTS, OBJECTIVES } from './objectives.ts';
import type { Colours, Curve } from './panels.ts';
import { allModels, chosen } from './coordinator.component.ts';

const faults = chosen.rate(METRICS.requestErrors, { where: { error_code: FAULTS } });
const deferred = allModels.rate(METRICS.probes, { where: { result: 'deferred' } });
const { share, seconds } = OBJECTIVES.firstToken;

interface ServiceLevel {
  readonly curve: Curve;
  /** Red short of the objective. */
  readonly colours: Colours;
}

/** Share of requests that did not fail by a fault of the platform. */
export const AVAILABILITY: ServiceLevel = {
  curve: { expr: `1 - ${portion(faults, chosen.rate(METRICS.requests))}`, legend: 'availability' },
  colours: [
    { from: 0, color: 'red' },
    { from: OBJECTIVES.availability, color: 'green' },
  ],
};

/** Share of streams whose first token came in time. */
export const FIRST_TOKEN_IN_TIME: ServiceLevel = {
  curve: {
    expr: ratio(chosen.notAbove(METRICS.timeToFirstToken, seconds), chosen.observations(METRICS.timeToFirstToken)),
    legend: `within ${seconds} s`,
  },
  colours: [
    { from: 0, color: 'red' },
    { from: share, color: 'green' },
  ],
};

/** The 412 rate: deferred over all probes, whatever came of them. It has no objective. */
export const DEFERRED_SHARE: Curve = { expr: portion(deferred, allModels.rate(METRICS.probes)), legend: '412 rate' };
