import { METRICS } from '#telemetry/catalogue';
import type { AlertName } from './component.ts';
import { block, zeroLike } from './expression.ts';
import { FAULTS, OBJECTIVES } from './objectives.ts';
import type { Queries } from './queries.ts';

/** A promise, and how to count what breaks it. */
export interface Budget {
  readonly alert: AlertName;
  /** Share of events that have to be good. */
  readonly objective: number;
  /** What a bad event is, in the alert's words. */
  readonly bad: string;
  /** Bad events a second. */
  readonly badRate: (queries: Queries) => string;
  /** All events a second. */
  readonly rate: (queries: Queries) => string;
  /** Name of the recorded share of bad events. */
  readonly record: (window: string) => string;
}

const { availability, firstToken } = OBJECTIVES;

export const BUDGETS: readonly Budget[] = [
  {
    alert: 'CoordinatorErrorBudgetBurn',
    objective: availability,
    bad: 'of requests failed by a fault of the platform',
    badRate: (queries) =>
      zeroLike(queries.rate(METRICS.requestErrors, { where: { error_code: FAULTS } }), queries.rate(METRICS.requests)),
    rate: (queries) => queries.rate(METRICS.requests),
    record: (window) => `job:${METRICS.requestErrors.name}:fault_ratio_rate${window}`,
  },
  {
    alert: 'CoordinatorFirstTokenBudgetBurn',
    objective: firstToken.share,
    bad: `of streams took longer than ${firstToken.seconds} s to their first token`,
    badRate: (queries) =>
      block([
        queries.observations(METRICS.timeToFirstToken),
        '-',
        queries.notAbove(METRICS.timeToFirstToken, firstToken.seconds),
      ]),
    rate: (queries) => queries.observations(METRICS.timeToFirstToken),
    record: (window) => `job:${METRICS.timeToFirstToken.name}:slow_ratio_rate${window}`,
  },
];
