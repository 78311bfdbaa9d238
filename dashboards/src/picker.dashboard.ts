import { houseDashboard } from './house-dashboard.ts';
import { PICKER_AT_A_GLANCE } from './picker-at-a-glance.row.ts';
import { PICKER_DECISIONS } from './picker-decisions.row.ts';
import { PICKER_LOAD } from './picker-load.row.ts';
import { PICKER_PREFIX } from './picker-prefix.row.ts';
import { PICKER_REQUESTS } from './picker-requests.row.ts';
import { PICKER_STREAMS } from './picker-streams.row.ts';
import { PICKER, byInstance } from './picker.component.ts';
import { processRow } from './process.row.ts';

/** Where requests are sent and why, how long that takes, and how those are that they are sent to. */
export const pickerDashboard = houseDashboard(
  PICKER,
  {
    uid: 'llm-d-picker-overview',
    title: 'Endpoint picker',
    description:
      'Which endpoint serves a request: what was decided and what deciding took, what is known of endpoints, and the processes themselves.',
  },
  ['model_name'],
  [
    PICKER_AT_A_GLANCE,
    PICKER_REQUESTS,
    PICKER_DECISIONS,
    PICKER_PREFIX,
    PICKER_LOAD,
    PICKER_STREAMS,
    processRow(PICKER, byInstance),
  ],
);
