import { Registry, collectDefaultMetrics } from 'prom-client';
import type { PluginTimers } from '#scheduling';
import { ExemplarStore } from '../instruments.ts';
import { instrumentSet } from '../instrument-set.ts';
import type { InstrumentSet } from '../instrument-set.ts';
import { LabelCap } from '../label-cap.ts';
import { PICKER_METRICS } from './picker-metric-catalogue.ts';

/** Distinct models of one process, incoming and target ones together, and distinct fairness ids; further ones are `other`. */
const CAP = 1000;
/** Priorities that have a value of their own: a client cannot choose them freely, but headers lead to objects that may be many. */
const PRIORITIES = 100;

/** Values of the labels that the series of a request have, in the catalogue's order. */
export type RequestLabels = readonly [model: string, target: string, fairnessId: string, priority: string];

/** The metrics of an endpoint picker: one instrument for each entry of its catalogue, and the client library's own. */
export class PickerMetrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: InstrumentSet<typeof PICKER_METRICS>;
  private readonly models = new LabelCap(CAP);
  private readonly fairness = new LabelCap(CAP, ['default-flow']);
  private readonly priorities = new LabelCap(PRIORITIES);

  constructor() {
    this.on = instrumentSet(PICKER_METRICS, this.registry, this.exemplars);
    collectDefaultMetrics({ register: this.registry });
  }

  /** Bounded values of what a client sends. */
  labels(incoming: string | undefined, target: string, fairnessId: string, priority: number): RequestLabels {
    return [this.model(incoming), this.model(target), ...this.flowLabels(fairnessId, priority)];
  }

  flowLabels(fairnessId: string, priority: number): readonly [fairnessId: string, priority: string] {
    return [this.fairness.value(fairnessId), this.priorities.value(String(priority))];
  }

  /** A histogram's series for each plugin at each point where it is called. */
  pluginTimers(): PluginTimers {
    return (point, { name, type }) => {
      const observe = this.on.pluginDuration.series([point, type, name]);
      return (milliseconds) => {
        observe(milliseconds / 1000);
      };
    };
  }

  private model(name: string | undefined): string {
    return name === undefined || name === '' ? 'unknown' : this.models.value(name);
  }
}
