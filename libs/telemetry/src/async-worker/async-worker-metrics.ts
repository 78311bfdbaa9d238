import { Registry, collectDefaultMetrics } from 'prom-client';
import { DEAD_LETTER_REASONS } from '#broker';
import { ExemplarStore } from '../instruments.ts';
import { instrumentSet } from '../instrument-set.ts';
import type { InstrumentSet } from '../instrument-set.ts';
import { LabelCap } from '../label-cap.ts';
import { DISPATCH_OUTCOMES, RECOVERIES, STATUS_RESULTS } from './async-worker-label-values.ts';
import { ASYNC_WORKER_METRICS } from './async-worker-metric-catalogue.ts';

/** Words for why there was no answer that have a series of their own. */
const FAILURES = 20;

/** The metrics of an async worker: one instrument for each entry of its catalogue, and the client library's own. */
export class AsyncWorkerMetrics {
  readonly registry = new Registry();
  readonly exemplars = new ExemplarStore();
  readonly on: InstrumentSet<typeof ASYNC_WORKER_METRICS>;
  private readonly failures = new LabelCap(FAILURES);

  constructor() {
    this.on = instrumentSet(ASYNC_WORKER_METRICS, this.registry, this.exemplars);
    collectDefaultMetrics({ register: this.registry });
  }

  /** The label value of a word for why there was no answer. */
  failure(word: string): string {
    return this.failures.value(word);
  }

  /** A rate does not see a series' first event when it brings the series along, and of a dead letter there may be one only. */
  startAtZero(queues: readonly string[]): void {
    const { messages, tries, inFlight, recovered, deadLetters } = this.on;
    for (const queue of queues) {
      inFlight.set([queue], 0);
      for (const outcome of DISPATCH_OUTCOMES) messages.add([queue, outcome], 0);
      for (const result of STATUS_RESULTS) tries.add([queue, result], 0);
      for (const why of RECOVERIES) recovered.add([queue, why], 0);
      for (const reason of DEAD_LETTER_REASONS) deadLetters.add([queue, reason], 0);
    }
  }
}
