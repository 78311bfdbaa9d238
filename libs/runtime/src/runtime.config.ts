import { z } from 'zod';
import { duration } from '#config';

/** The `readiness` section. */
export const readinessConfig = z
  .strictObject({
    interval: duration('5s', { min: '100ms' }).describe('Time between two checks of each upstream.'),
    require: z
      .array(z.enum(['gateway', 'render']))
      .default([])
      .describe('Upstreams that must answer a TCP connection for /readyz to be 200.'),
  })
  .prefault({})
  .describe('What /readyz depends on.');

export type ReadinessConfig = Readonly<z.output<typeof readinessConfig>>;

/** An upstream whose reachability is watched. */
export interface Dependency {
  readonly name: string;
  /** Base URL; the host and port are what is connected to. */
  readonly url: string;
}

/** What the runtime is told by the app. */
export interface RuntimeOptions {
  readonly readiness: ReadinessConfig;
  readonly dependencies: readonly Dependency[];
  /** Told whenever a dependency was checked. */
  readonly onReadiness?: ((name: string, isUp: boolean) => void) | undefined;
}

export const RUNTIME_OPTIONS = Symbol('runtime:options');
