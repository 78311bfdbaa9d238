import type { Component } from './component.ts';
import { isAlert } from './rule.ts';
import type { AlertRule, RuleGroup } from './rule.ts';
import type { Situation } from './situation.ts';

/** The rules of one component, and what they are tested with: files of its own under dashboards/alerts. */
export interface RuleSet {
  readonly component: Component;
  readonly groups: readonly RuleGroup[];
  readonly situations: readonly Situation[];
}

export function alertsOf({ groups }: RuleSet): readonly AlertRule[] {
  return groups.flatMap(({ rules }) => rules.filter(isAlert));
}
