import { BUDGET_GROUPS } from './budget.alerts.ts';
import { BUDGET_CASES } from './budget.cases.ts';
import { COORDINATOR } from './coordinator.component.ts';
import { PHASE_GROUP } from './phase.alerts.ts';
import { PHASE_CASES } from './phase.cases.ts';
import { PROBE_GROUP } from './probe.alerts.ts';
import { PROBE_CASES } from './probe.cases.ts';
import { PROCESS_GROUP } from './process.alerts.ts';
import { PROCESS_CASES } from './process.cases.ts';
import { QUEUED_GROUP } from './queued.alerts.ts';
import { QUEUED_CASES } from './queued.cases.ts';
import type { RuleSet } from './rule-set.ts';

export const COORDINATOR_RULES: RuleSet = {
  component: COORDINATOR,
  groups: [...BUDGET_GROUPS, PROBE_GROUP, PHASE_GROUP, QUEUED_GROUP, PROCESS_GROUP],
  situations: [...BUDGET_CASES, ...PROBE_CASES, ...PHASE_CASES, ...QUEUED_CASES, ...PROCESS_CASES],
};
