import { METRICS } from '#telemetry/catalogue';
import { growing, series } from './situation.ts';
import type { Series, Situation } from './situation.ts';

const JOB = { job: 'coordinator' };
const DAY = 24 * 60;

type Result = 'served' | 'deferred' | 'error' | 'transport_error';

/** Probes by result: so many a minute, then so many. */
function probes(
  minutes: number,
  rates: Partial<Record<Result, number>>,
  then?: Partial<Record<Result, number>>,
): Series[] {
  const results: readonly Result[] = ['served', 'deferred', 'error', 'transport_error'];
  return results.flatMap((result) => {
    const rate = rates[result];
    if (rate === undefined) return [];
    const later = then && { perMinute: then[result] ?? 0, minutes };
    return [series(METRICS.probes, { result }, growing(rate, minutes, later))];
  });
}

export const PROBE_CASES: readonly Situation[] = [
  {
    alert: 'CoordinatorDeferredRateShift',
    when: 'the 412 rate is 70 % and was 20 % a day ago',
    series: probes(DAY, { served: 80, deferred: 20 }, { served: 30, deferred: 70 }),
    at: DAY + 120,
    fires: { notBefore: DAY + 40, labels: JOB, value: '50%' },
  },
  {
    alert: 'CoordinatorDeferredRateShift',
    when: 'the 412 rate is 35 % and was 20 % a day ago',
    series: probes(DAY, { served: 80, deferred: 20 }, { served: 65, deferred: 35 }),
    at: DAY + 120,
  },
  {
    alert: 'CoordinatorDeferredRateShift',
    when: 'there are hardly any probes',
    series: probes(DAY, { served: 1, deferred: 0 }, { served: 0, deferred: 1 }),
    at: DAY + 120,
  },
  {
    alert: 'CoordinatorProbesAllDeferred',
    when: 'half of the probes were served, and none is any more',
    series: probes(120, { served: 2, deferred: 2 }, { served: 0, deferred: 4 }),
    at: 150,
    fires: { notBefore: 140, labels: JOB, value: '60' },
  },
  {
    alert: 'CoordinatorProbesAllDeferred',
    when: 'a few probes are still served',
    series: probes(120, { served: 50, deferred: 50 }, { served: 1, deferred: 99 }),
    at: 150,
  },
  {
    alert: 'CoordinatorProbesAllDeferred',
    when: 'hardly any probe was ever served',
    series: probes(120, { served: 1, deferred: 49 }, { served: 0, deferred: 50 }),
    at: 150,
  },
  {
    alert: 'CoordinatorProbesAllDeferred',
    when: 'there are hardly any probes',
    series: probes(120, { served: 50, deferred: 50 }, { served: 0, deferred: 1 }),
    at: 150,
  },
  {
    alert: 'CoordinatorProbesAllDeferred',
    when: 'all probes fail',
    series: probes(120, { served: 50, deferred: 50, error: 0 }, { served: 0, deferred: 0, error: 100 }),
    at: 150,
  },
  {
    alert: 'CoordinatorProbesUnanswered',
    when: 'one of ten probes gets no answer',
    series: probes(30, { deferred: 90, transport_error: 10 }),
    at: 30,
    fires: { notBefore: 9, labels: JOB, value: '10%' },
  },
  {
    alert: 'CoordinatorProbesUnanswered',
    when: 'half of the probes are answered with an error, and some get no answer',
    series: probes(30, { deferred: 48, error: 50, transport_error: 2 }),
    at: 30,
  },
];
