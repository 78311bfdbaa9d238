import type { AlertName } from './component.ts';

/** A series that Prometheus computes in advance. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/** An alert. Texts may hold Prometheus templates of `$labels` and `$value`. */
export interface AlertRule {
  /** Also the heading of its entry in docs/runbook.md. */
  readonly alert: AlertName;
  readonly expr: string;
  /** How long the expression has to hold. */
  readonly for: string;
  /** `critical`: somebody has to look now. `warning`: somebody has to look this week. */
  readonly severity: 'critical' | 'warning';
  /** Labels that tell rules of one alert apart. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

export function isAlert(rule: RecordingRule | AlertRule): rule is AlertRule {
  return 'alert' in rule;
}

/** Where an alert's entry is, by the anchor that Markdown gives its heading. */
export function runbookUrl({ alert }: AlertRule): string {
  return `docs/runbook.md#${alert.toLowerCase()}`;
}
