import { ALERTS } from './alerts.ts';
import { BUDGET_CASES } from './budget.cases.ts';
import { PHASE_CASES } from './phase.cases.ts';
import { PROBE_CASES } from './probe.cases.ts';
import { PROCESS_CASES } from './process.cases.ts';
import { runbookUrl } from './rule.ts';
import type { AlertRule } from './rule.ts';
import type { Firing, Situation } from './situation.ts';

const SITUATIONS: readonly Situation[] = [...BUDGET_CASES, ...PROBE_CASES, ...PHASE_CASES, ...PROCESS_CASES];

/** Beyond this many minutes rules are evaluated less often, which takes promtool a tenth of the time. */
const LONG = 3 * 60;

/** The situations as promtool reads them, in a file of short ones and one of long ones. @param rulesFile seen from the tests */
export function rulesTestFiles(rulesFile: string): { readonly short: object; readonly long: object } {
  const file = (evaluation_interval: string, situations: readonly Situation[]): object => ({
    rule_files: [rulesFile],
    evaluation_interval,
    tests: situations.map(test),
  });
  return {
    short: file(
      '1m',
      SITUATIONS.filter(({ at }) => at < LONG),
    ),
    long: file(
      '10m',
      SITUATIONS.filter(({ at }) => at >= LONG),
    ),
  };
}

function test({ alert, when, series, at, fires }: Situation): object {
  const look = (minutes: number, exp_alerts: readonly object[]): object => ({
    eval_time: `${minutes}m`,
    alertname: alert,
    exp_alerts,
  });
  return {
    name: `${alert} ${fires === undefined ? 'is quiet' : 'fires'} when ${when}`,
    interval: '1m',
    input_series: series,
    alert_rule_test:
      fires === undefined ? [look(at, [])] : [look(fires.notBefore, []), look(at, [expected(alert, fires)])],
  };
}

function expected(alert: string, firing: Firing): object {
  const rule = ruleOf(alert, firing);
  const labels = { ...firing.labels, severity: rule.severity, ...rule.labels };
  const filled = (text: string): string => filledIn(text, labels, firing.value);
  return {
    exp_labels: labels,
    exp_annotations: {
      summary: filled(rule.summary),
      description: filled(rule.description),
      runbook_url: runbookUrl(rule),
    },
  };
}

/** @throws Error when there is no such rule, or more than one */
function ruleOf(alert: string, { rule: labels = {} }: Firing): AlertRule {
  const [rule, ...others] = ALERTS.filter(
    (candidate) =>
      candidate.alert === alert &&
      Object.entries(labels).every(([label, value]) => candidate.labels?.[label] === value),
  );
  if (rule === undefined || others.length > 0) throw new Error(`${alert} ${JSON.stringify(labels)} is not one rule`);
  return rule;
}

function filledIn(text: string, labels: Readonly<Record<string, string>>, value = '?'): string {
  return text
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, label: string) => labels[label] ?? '')
    .replaceAll(/\{\{ \$value \| \w+ \}\}/g, value);
}
