import { runbookUrl } from './rule.ts';
import type { AlertRule } from './rule.ts';
import { alertsOf } from './rule-set.ts';
import type { RuleSet } from './rule-set.ts';
import type { Firing, Situation } from './situation.ts';

/** Beyond this many minutes rules are evaluated less often, which takes promtool a tenth of the time. */
const LONG = 3 * 60;

/** The situations as promtool reads them, in a file of short ones and one of long ones. @param rulesFile seen from the tests */
export function rulesTestFiles(rules: RuleSet, rulesFile: string): { readonly short: object; readonly long: object } {
  const { situations } = rules;
  const alerts = alertsOf(rules);
  const file = (evaluation_interval: string, tested: readonly Situation[]): object => ({
    rule_files: [rulesFile],
    evaluation_interval,
    tests: tested.map((situation) => test(situation, alerts)),
  });
  return {
    short: file(
      '1m',
      situations.filter(({ at }) => at < LONG),
    ),
    long: file(
      '10m',
      situations.filter(({ at }) => at >= LONG),
    ),
  };
}

function test({ alert, when, series, at, fires }: Situation, alerts: readonly AlertRule[]): object {
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
      fires === undefined
        ? [look(at, [])]
        : [look(fires.notBefore, []), look(at, [expected(ruleOf(alert, fires, alerts), fires)])],
  };
}

function expected(rule: AlertRule, firing: Firing): object {
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
function ruleOf(alert: string, { rule: labels = {} }: Firing, alerts: readonly AlertRule[]): AlertRule {
  const [rule, ...others] = alerts.filter(
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
