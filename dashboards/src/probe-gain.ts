import { METRICS } from '#telemetry/catalogue';
import { block, ratio, zeroLike } from './expression.ts';
import { allModels } from './coordinator.component.ts';

const THROUGH_PREFILL = { matches: 'prefill-decode|encode-prefill-decode' } as const;

const probes = allModels.rate(METRICS.probes);
const served = zeroLike(allModels.rate(METRICS.probes, { where: { result: 'served' } }), probes);

/** Seconds to the first token that a request spares when the probe serves it. */
export const SAVED_BY_SERVED = block([
  allModels.mean(METRICS.timeToFirstToken, { where: { path: THROUGH_PREFILL } }),
  '-',
  allModels.mean(METRICS.probeDuration, { where: { result: 'deferred' } }),
  '-',
  allModels.mean(METRICS.timeToFirstToken, { where: { path: 'decode-only' } }),
]);

/** Seconds a second that probes took which served nothing. */
const wasted = zeroLike(allModels.total(METRICS.probeDuration, { where: { result: { not: 'served' } } }), probes);

/** Seconds saved less seconds wasted, for each probe. */
export const NET_GAIN = ratio(block([`${served} * ${SAVED_BY_SERVED}`, '-', wasted]), probes);
