import { Registry, collectDefaultMetrics } from 'prom-client';
import { ExemplarStore } from '../instruments.ts';
import { instrumentSet } from '../instrument-set.ts';
import type { InstrumentSet } from '../instrument-set.ts';
import { SIDECAR_METRICS } from './sidecar-metric-catalogue.ts';

/** The metrics of a decode sidecar: one instrument for each entry of its catalogue, and the client library's own. */
export class SidecarMetrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: InstrumentSet<typeof SIDECAR_METRICS>;

  constructor() {
    this.on = instrumentSet(SIDECAR_METRICS, this.registry, this.exemplars);
    collectDefaultMetrics({ register: this.registry });
  }
}
