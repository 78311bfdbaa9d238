import type { DynamicModule, Provider } from '@nestjs/common';
import { z } from 'zod';
import { duration } from '#config';

/** The `readiness` section. */
export const readinessConfig = z
  .strictObject({
    interval: duration('5s', { min: '100ms' }).describe('Time between two checks of each upstream.'),
    require: z
      .array(z.enum(['gateway', 'render', 'redis']))
      .default([])
      .describe('Upstreams that must answer for /readyz to be 200: gateway and render a TCP connection, redis a PING.'),
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

/** Something whose own client knows whether it can be used. */
export interface ReadinessCheck {
  readonly name: string;
  /** Undefined when it can be used, else a short reason. */
  outage(): Promise<string | undefined>;
}

export const READINESS_CHECKS = Symbol('runtime:readiness-checks');

/** What the runtime is told by the app. */
export interface RuntimeOptions {
  readonly readiness: ReadinessConfig;
  readonly dependencies: readonly Dependency[];
  /** Provides a list of `ReadinessCheck`, and the modules that it is made of. */
  readonly checks?:
    | { readonly provider: Provider & { provide: typeof READINESS_CHECKS }; readonly imports: readonly DynamicModule[] }
    | undefined;
  /** Told whenever a dependency was checked. */
  readonly onReadiness?: ((name: string, isUp: boolean) => void) | undefined;
}

export const RUNTIME_OPTIONS = Symbol('runtime:options');
