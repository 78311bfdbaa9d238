import { ASYNC_WORKER_RULES } from './async-worker.rules.ts';
import { COORDINATOR_RULES } from './coordinator.rules.ts';
import { PICKER_RULES } from './picker.rules.ts';
import { SIDECAR_RULES } from './sidecar.rules.ts';
import type { RuleSet } from './rule-set.ts';

/** Every set of rules. */
export const RULE_SETS: readonly RuleSet[] = [COORDINATOR_RULES, PICKER_RULES, SIDECAR_RULES, ASYNC_WORKER_RULES];
