import type { FlightRecorder } from './flight-recorder.ts';
import type { JsonLogger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Whether a dependency answers, as `/readyz?verbose` tells it. */
export interface ReadinessState {
  readonly name: string;
  readonly isUp: boolean;
  readonly isRequired: boolean;
  readonly reason: string | undefined;
}

/** What the admin listener shows and changes of its own process; the app hands it over. */
export interface AdminSources {
  readonly metrics: Metrics;
  readonly recorder: FlightRecorder;
  readonly logger: JsonLogger;
  /** Number of this worker, from 1, which is then a label of every series; undefined in a process that is no worker. */
  readonly worker?: number | undefined;
  /** Token of `admin.token`; empty: nothing can be written, and nothing read from afar. */
  readonly token: string;
  /** YAML of the effective configuration, secrets removed. */
  readonly effectiveConfig: string;
  /** The pipeline as it is configured. */
  readonly pipeline: object;
  readonly version: string;
  /** How the queues of the async broker stand; undefined where the pipeline has none. */
  readonly queues?: (() => Promise<readonly object[]>) | undefined;
  /** Where the process stands, and its dependencies. */
  readiness(): { readonly phase: string; readonly isReady: boolean; readonly dependencies: readonly ReadinessState[] };
  /** Turns readiness off; requests are served on. */
  drain(): void;
}
