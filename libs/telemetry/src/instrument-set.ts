import type { Registry } from 'prom-client';
import { CounterInstrument, GaugeInstrument, HistogramInstrument } from './instruments.ts';
import type { ExemplarStore } from './instruments.ts';
import type { MetricSpec } from './metric-catalogue.ts';

type InstrumentOf<Spec extends MetricSpec> = Spec['type'] extends 'counter'
  ? CounterInstrument<Spec>
  : Spec['type'] extends 'gauge'
    ? GaugeInstrument<Spec>
    : HistogramInstrument<Spec>;

/** An instrument for each entry of a catalogue, by the entry's key. */
export type InstrumentSet<Catalogue extends Readonly<Record<string, MetricSpec>>> = {
  readonly [Key in keyof Catalogue]: InstrumentOf<Catalogue[Key]>;
};

export function instrumentSet<const Catalogue extends Readonly<Record<string, MetricSpec>>>(
  catalogue: Catalogue,
  registry: Registry,
  exemplars: ExemplarStore,
): InstrumentSet<Catalogue> {
  const entries = Object.entries(catalogue).map(([key, spec]) => [key, instrument(spec, registry, exemplars)]);
  // the keys are those of the catalogue, and each instrument is made for its entry
  return Object.fromEntries(entries) as InstrumentSet<Catalogue>;
}

function instrument(spec: MetricSpec, registry: Registry, exemplars: ExemplarStore): unknown {
  switch (spec.type) {
    case 'counter':
      return new CounterInstrument(spec, registry);
    case 'gauge':
      return new GaugeInstrument(spec, registry);
    case 'histogram':
      return new HistogramInstrument(spec, registry, exemplars);
  }
}
