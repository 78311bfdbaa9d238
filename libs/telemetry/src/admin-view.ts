import type { Format } from './exposition.ts';

/** Requests by where they are, the latest first. */
export interface RequestLists {
  readonly in_flight: readonly object[];
  readonly finished: readonly object[];
}

/** What the admin listener shows and changes: of the process itself, or of all workers behind one listener. */
export interface AdminView {
  /** Token of `admin.token`; empty: nothing can be written, and nothing read from afar. */
  readonly token: string;
  /** YAML of the effective configuration, secrets removed. */
  readonly effectiveConfig: string;
  /** @param timelines lists so many of each with their timelines, instead of all with a line each */
  requests(timelines?: number): RequestLists | Promise<RequestLists>;
  /** The timelines of the requests with that id. */
  find(id: string): readonly object[] | Promise<readonly object[]>;
  pipeline(): object | Promise<object>;
  status(): Promise<object>;
  /** How the queues of the async broker stand; undefined where the pipeline has none. */
  queues(): Promise<readonly object[] | undefined>;
  /** @param level 1 to 5 */
  setLogLevel(level: number): void | Promise<void>;
  /** Turns readiness off; requests are served on. @returns where the process stands then */
  drain(): string | Promise<string>;
  /** The exposition of `/metrics`, in pieces. */
  metrics(format: Format): AsyncIterable<string>;
}

export const ADMIN_VIEW = Symbol('telemetry:admin-view');
