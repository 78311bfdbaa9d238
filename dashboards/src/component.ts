import type { MetricSpec } from '#telemetry/catalogue';
import type { Gauge } from './queries.ts';

/**
 * A kind of process that is watched apart from others: with dashboards of its own, and alerts of its own. A further one is a file like
 * `picker.component.ts`, and an entry in `all-dashboards.ts` and in `all-rules.ts`.
 */
export interface Component {
  /** In the middle of a sentence. */
  readonly noun: string;
  /** What the names of its alerts begin with. */
  readonly alerts: 'AsyncWorker' | 'Coordinator' | 'Picker' | 'Sidecar';
  /** What the names of its files and of its groups of rules begin with. */
  readonly slug: 'async-worker' | 'coordinator' | 'picker' | 'sidecar';
  /**
   * Variable of its dashboards that chooses the scrape job. Links between dashboards carry variables, and the job of one component is
   * not the job of another, so each has a name of its own.
   */
  readonly job: 'job' | `${string}_job`;
  /** Every process has it, so that its labels name the processes there are, and nothing else's. */
  readonly presence: Gauge;
  /** Counts requests; its label `model_name`, where it has one, names the models there are. */
  readonly requests: MetricSpec;
  /** What has to wait when the event loop is late, at the beginning of a sentence. */
  readonly waits: string;
}

/** It tells whose alert it is. */
export type AlertName = `${Component['alerts']}${string}`;
