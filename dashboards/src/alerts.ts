import { BUDGET_GROUPS } from './budget.alerts.ts';
import { PHASE_GROUP } from './phase.alerts.ts';
import { PROBE_GROUP } from './probe.alerts.ts';
import { PROCESS_GROUP } from './process.alerts.ts';
import { isAlert, runbookUrl } from './rule.ts';
import type { AlertRule, RecordingRule, RuleGroup } from './rule.ts';

export const RULE_GROUPS: readonly RuleGroup[] = [...BUDGET_GROUPS, PROBE_GROUP, PHASE_GROUP, PROCESS_GROUP];

export const ALERTS: readonly AlertRule[] = RULE_GROUPS.flatMap(({ rules }) => rules.filter(isAlert));

/** The rules as Prometheus reads them. */
export function rulesFile(): object {
  return { groups: RULE_GROUPS.map(({ name, rules }) => ({ name, rules: rules.map(entry) })) };
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
