import { METRICS } from '#telemetry/catalogue';
import { ratio, zeroLike } from './expression.ts';
import { FAULTS, OBJECTIVES } from './objectives.ts';
import type { Colours, Curve } from './panels.ts';
import { allModels, chosen } from './scopes.ts';

const requests = chosen.rate(METRICS.requests);
const faults = zeroLike(chosen.rate(METRICS.requestErrors, { where: { error_code: FAULTS } }), requests);
const probes = allModels.rate(METRICS.probes);
const deferred = zeroLike(allModels.rate(METRICS.probes, { where: { result: 'deferred' } }), probes);
const { share, seconds } = OBJECTIVES.firstToken;

interface ServiceLevel {
  readonly curve: Curve;
  /** Red short of the objective. */
  readonly colours: Colours;
}

/** Share of requests that did not fail by a fault of the platform. */
export const AVAILABILITY: ServiceLevel = {
  curve: { expr: `1 - ${ratio(faults, requests)}`, legend: 'availability' },
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
export const DEFERRED_SHARE: Curve = { expr: ratio(deferred, probes), legend: '412 rate' };
