import { Registry, collectDefaultMetrics } from 'prom-client';
import { CounterInstrument, ExemplarStore, GaugeInstrument, HistogramInstrument } from './instruments.ts';
import { LabelCap } from './label-cap.ts';
import { PROBE_RESULTS, REJECTIONS, RETRY_REASONS, STREAM_OUTCOMES, UPSTREAMS } from './label-values.ts';
import { METRICS } from './metric-catalogue.ts';
import type { MetricName, MetricSpec } from './metric-catalogue.ts';

type InstrumentOf<Spec extends MetricSpec> = Spec['type'] extends 'counter'
  ? CounterInstrument<Spec>
  : Spec['type'] extends 'gauge'
    ? GaugeInstrument<Spec>
    : HistogramInstrument<Spec>;

type Instruments = { readonly [Name in MetricName]: InstrumentOf<(typeof METRICS)[Name]> };

/** Distinct `model_name` values of one process; further ones are `other` (`decisions.md` O4). */
const MODEL_CAP = 1000;

/** The process's metrics: one instrument for each entry of the catalogue, and the client library's own of process and event loop. */
export class Metrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: Instruments;
  private readonly models: LabelCap;

  /** @param knownModels models that always have a label value of their own */
  constructor(knownModels: readonly string[] = []) {
    this.models = new LabelCap(MODEL_CAP, knownModels);
    const entries = Object.entries(METRICS).map(([key, spec]) => [key, this.instrument(spec)]);
    // the keys are those of METRICS, and each instrument is made for its entry
    this.on = Object.fromEntries(entries) as Instruments;
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

  private instrument(spec: MetricSpec): unknown {
    switch (spec.type) {
      case 'counter':
        return new CounterInstrument(spec, this.registry);
      case 'gauge':
        return new GaugeInstrument(spec, this.registry);
      case 'histogram':
        return new HistogramInstrument(spec, this.registry, this.exemplars);
    }
  }
}
