import { Registry, collectDefaultMetrics } from 'prom-client';
import { ExemplarStore } from './instruments.ts';
import { instrumentSet } from './instrument-set.ts';
import type { InstrumentSet } from './instrument-set.ts';
import { LabelCap } from './label-cap.ts';
import { PROBE_RESULTS, REJECTIONS, RETRY_REASONS, STREAM_OUTCOMES, UPSTREAMS } from './label-values.ts';
import { METRICS } from './metric-catalogue.ts';

/** Distinct `model_name` values of one process; further ones are `other` (`decisions.md` O4). */
const MODEL_CAP = 1000;

/** The process's metrics: one instrument for each entry of the catalogue, and the client library's own of process and event loop. */
export class Metrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: InstrumentSet<typeof METRICS>;
  private readonly models: LabelCap;

  /** @param knownModels models that always have a label value of their own */
  constructor(knownModels: readonly string[] = []) {
    this.models = new LabelCap(MODEL_CAP, knownModels);
    this.on = instrumentSet(METRICS, this.registry, this.exemplars);
    collectDefaultMetrics({ register: this.registry });
    this.startAtZero();
  }

  /** The label value of a model: `unknown` for none, `other` beyond the cap. */
  modelName(model: string | undefined): string {
    return model === undefined || model === '' ? 'unknown' : this.models.value(model);
  }

  /** Counters whose label values are known begin at 0: a rate does not see a series' first event when it brings the series along. */
  private startAtZero(): void {
    for (const outcome of STREAM_OUTCOMES) this.on.streamOutcome.add([outcome], 0);
    for (const result of PROBE_RESULTS) this.on.probes.add([result], 0);
    for (const upstream of UPSTREAMS) {
      this.on.upstreamRequests.add([upstream], 0);
      for (const status of REJECTIONS) this.on.upstreamRejections.add([upstream, status], 0);
      for (const reason of RETRY_REASONS) this.on.upstreamRetries.add([upstream, reason], 0);
    }
  }
}
