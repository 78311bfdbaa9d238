import { Registry, collectDefaultMetrics } from 'prom-client';
import { ExemplarStore } from '../instruments.ts';
import { instrumentSet } from '../instrument-set.ts';
import type { InstrumentSet } from '../instrument-set.ts';
import { API_TYPES, DENIED_ROLES, DISAGG_TYPES, SKIP_REASONS, STAGE_FAILURES, STAGES } from './sidecar-label-values.ts';
import { SIDECAR_METRICS } from './sidecar-metric-catalogue.ts';

/** The metrics of a decode sidecar: one instrument for each entry of its catalogue, and the client library's own. */
export class SidecarMetrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: InstrumentSet<typeof SIDECAR_METRICS>;

  constructor() {
    this.on = instrumentSet(SIDECAR_METRICS, this.registry, this.exemplars);
    collectDefaultMetrics({ register: this.registry });
    this.startAtZero();
  }

  /** A rate does not see a series' first event when it brings the series along, and here that may be the one that matters. */
  private startAtZero(): void {
    const { requests, disaggregated, stageErrors, skipped, denied } = this.on;
    for (const apiType of API_TYPES) requests.add([apiType], 0);
    for (const type of DISAGG_TYPES) if (type !== 'decode-only') disaggregated.add([type], 0);
    for (const stage of STAGES) for (const failure of STAGE_FAILURES) stageErrors.add([stage, failure], 0);
    for (const reason of SKIP_REASONS) skipped.add([reason], 0);
    for (const role of DENIED_ROLES) denied.add([role], 0);
  }
}
