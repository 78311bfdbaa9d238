import { processAlerts } from './any-process.alerts.ts';
import { processCases } from './any-process.cases.ts';
import type { RuleSet } from './rule-set.ts';
import { SIDECAR_STAGES_GROUP } from './sidecar-stages.alerts.ts';
import { SIDECAR_STAGES_CASES } from './sidecar-stages.cases.ts';
import { SIDECAR } from './sidecar.component.ts';
import { SIDECAR_TARGET } from './sidecar.situation.ts';

const BUILD = { commit: 'abc', build_ref: '1.0.0' };

export const SIDECAR_RULES: RuleSet = {
  component: SIDECAR,
  groups: [SIDECAR_STAGES_GROUP, { name: 'sidecar-processes', rules: Object.values(processAlerts(SIDECAR)) }],
  situations: [...SIDECAR_STAGES_CASES, ...Object.values(processCases(SIDECAR, SIDECAR_TARGET, BUILD)).flat()],
};
