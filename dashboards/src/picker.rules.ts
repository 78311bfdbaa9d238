import { processAlerts } from './any-process.alerts.ts';
import { processCases } from './any-process.cases.ts';
import { PICKER_ENDPOINTS_GROUP } from './picker-endpoints.alerts.ts';
import { PICKER_ENDPOINTS_CASES } from './picker-endpoints.cases.ts';
import { PICKER_REQUESTS_GROUP } from './picker-requests.alerts.ts';
import { PICKER_REQUESTS_CASES } from './picker-requests.cases.ts';
import { PICKER } from './picker.component.ts';
import { PICKER_TARGET } from './picker.situation.ts';
import type { RuleSet } from './rule-set.ts';

const BUILD = { commit: 'abc', build_ref: '1.0.0' };

export const PICKER_RULES: RuleSet = {
  component: PICKER,
  groups: [
    PICKER_REQUESTS_GROUP,
    PICKER_ENDPOINTS_GROUP,
    { name: 'picker-processes', rules: Object.values(processAlerts(PICKER)) },
  ],
  situations: [
    ...PICKER_REQUESTS_CASES,
    ...PICKER_ENDPOINTS_CASES,
    ...Object.values(processCases(PICKER, PICKER_TARGET, BUILD)).flat(),
  ],
};
