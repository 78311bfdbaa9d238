import { BUDGETS } from './budgets.ts';
import type { Budget } from './budgets.ts';
import { all, ratio } from './expression.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';
import { byJob } from './scopes.ts';

/**
 * How fast a budget of 30 days burns: `factor` 1 uses it up in just that time. The long window says that it matters, the short one
 * that it still goes on.
 */
const BURNS = [
  { long: '1h', seconds: 3600, short: '5m', factor: 14.4, for: '2m', severity: 'critical', lasts: '2 days' },
  { long: '6h', seconds: 21_600, short: '30m', factor: 6, for: '15m', severity: 'critical', lasts: '5 days' },
  { long: '1d', seconds: 86_400, short: '2h', factor: 3, for: '1h', severity: 'warning', lasts: '10 days' },
  { long: '3d', seconds: 259_200, short: '6h', factor: 1, for: '3h', severity: 'warning', lasts: '30 days' },
] as const;

type Burn = (typeof BURNS)[number];

/** Bad events in the long window below which nothing is said: two failures of ten requests are no trend. */
const LEAST_EVENTS = 5;

/** Alerts on the budgets of availability and of the time to first token, with several windows and burn rates each. */
export const BUDGET_GROUPS: readonly RuleGroup[] = [
  {
    // one group: the rules of a group are evaluated in order, so an alert always reads the ratios of its own moment
    name: 'coordinator-budgets',
    rules: [...BUDGETS.flatMap(recordsOf), ...BUDGETS.flatMap((budget) => BURNS.map((burn) => alertOf(budget, burn)))],
  },
];

function recordsOf({ record, badRate, rate }: Budget): RecordingRule[] {
  const windows = [...new Set(BURNS.flatMap(({ short, long }) => [short, long]))];
  return windows.map((window) => {
    const queries = byJob.over(window);
    return { record: record(window), expr: ratio(badRate(queries), rate(queries)) };
  });
}

function alertOf({ alert, objective, bad, badRate, record }: Budget, burn: Burn): AlertRule {
  const { long, short, seconds, factor, severity, lasts } = burn;
  const limit = `${factor} * ${Number((1 - objective).toPrecision(6))}`;
  return {
    alert,
    expr: all(
      `${record(long)} > ${limit}`,
      `${record(short)} > ${limit}`,
      `${badRate(byJob.over(long))} * ${seconds} > ${LEAST_EVENTS}`,
    ),
    for: burn.for,
    severity,
    labels: { long_window: long, short_window: short },
    summary: `{{ $value | humanizePercentage }} ${bad} in the last ${long}.`,
    description: `The objective is ${objective * 100} %. At this rate the budget of 30 days is used up in ${lasts}.`,
  };
}
