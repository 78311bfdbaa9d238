import { houseDashboard } from './house-dashboard.ts';
import { processRow } from './process.row.ts';
import { SIDECAR_AT_A_GLANCE } from './sidecar-at-a-glance.row.ts';
import { SIDECAR_CONNECTORS } from './sidecar-connectors.row.ts';
import { SIDECAR_FIRST_TOKEN } from './sidecar-first-token.row.ts';
import { SIDECAR_REQUESTS } from './sidecar-requests.row.ts';
import { SIDECAR_STAGES } from './sidecar-stages.row.ts';
import { SIDECAR, byInstance } from './sidecar.component.ts';

/** Which stages of a request ran where, how long they took and why they failed, as the pods that decode see it. */
export const sidecarDashboard = houseDashboard(
  SIDECAR,
  {
    uid: 'llm-d-sidecar-overview',
    title: 'Decode sidecar',
    description:
      'What the proxies beside decode engines do: encode, prefill and decode of each request, where they ran, how long they took, what was left out and why.',
  },
  ['instance'],
  [
    SIDECAR_AT_A_GLANCE,
    SIDECAR_REQUESTS,
    SIDECAR_STAGES,
    SIDECAR_FIRST_TOKEN,
    SIDECAR_CONNECTORS,
    processRow(SIDECAR, byInstance),
  ],
);
