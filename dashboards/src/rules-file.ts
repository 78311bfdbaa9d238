import { isAlert, runbookUrl } from './rule.ts';
import type { AlertRule, RecordingRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

/** The rules as Prometheus reads them. */
export function rulesFile({ groups }: RuleSet): object {
  return { groups: groups.map(({ name, rules }) => ({ name, rules: rules.map(entry) })) };
}

function entry(rule: RecordingRule | AlertRule): object {
  if (!isAlert(rule)) return rule;
  const { alert, expr, severity, labels, summary, description } = rule;
  return {
    alert,
    expr,
    for: rule.for,
    labels: { severity, ...labels },
    annotations: { summary, description, runbook_url: runbookUrl(rule) },
  };
}
