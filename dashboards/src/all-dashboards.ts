import { asyncWorkerDashboard } from './async-worker.dashboard.ts';
import { disaggregationDashboard } from './coordinator-disaggregation.dashboard.ts';
import { overviewDashboard } from './coordinator-overview.dashboard.ts';
import { phasesDashboard } from './coordinator-phases.dashboard.ts';
import { queuedDashboard } from './coordinator-queued.dashboard.ts';
import { runtimeDashboard } from './coordinator-runtime.dashboard.ts';
import { pickerDashboard } from './picker.dashboard.ts';
import { sidecarDashboard } from './sidecar.dashboard.ts';

/** Every dashboard, by the name of its file. */
export const DASHBOARDS = {
  'coordinator-overview': overviewDashboard,
  'coordinator-phases': phasesDashboard,
  'coordinator-disaggregation': disaggregationDashboard,
  'coordinator-queued': queuedDashboard,
  'coordinator-runtime': runtimeDashboard,
  picker: pickerDashboard,
  sidecar: sidecarDashboard,
  'async-worker': asyncWorkerDashboard,
} as const;
