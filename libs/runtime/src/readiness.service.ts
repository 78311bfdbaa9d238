import { Inject, Injectable } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import { Lifecycle } from '#foundation';
import { READINESS_CHECKS, RUNTIME_OPTIONS } from './runtime.config.ts';
import type { ReadinessCheck, RuntimeOptions } from './runtime.config.ts';
import { probe } from './tcp-probe.ts';

/** One line of `/readyz?verbose`. */
export interface DependencyState {
  readonly name: string;
  readonly isUp: boolean;
  readonly isRequired: boolean;
  /** Why it counts as down. */
  readonly reason: string | undefined;
}

/** Whether this process wants requests, and which upstreams answer. */
@Injectable()
export class ReadinessService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly checks: readonly ReadinessCheck[];
  private readonly reasons = new Map<string, string | undefined>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly lifecycle: Lifecycle,
    @Inject(RUNTIME_OPTIONS) private readonly options: RuntimeOptions,
    @Inject(READINESS_CHECKS) checks: readonly ReadinessCheck[],
  ) {
    const probes = options.dependencies.map(({ name, url }) => ({ name, outage: () => probe(url) }));
    this.checks = [...probes, ...checks];
    for (const { name } of this.checks) this.reasons.set(name, 'not checked yet');
  }

  onApplicationBootstrap(): void {
    void this.check();
    this.timer = setInterval(() => void this.check(), this.options.readiness.interval);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  get isReady(): boolean {
    return this.lifecycle.isReady && this.states().every(({ isUp, isRequired }) => isUp || !isRequired);
  }

  states(): readonly DependencyState[] {
    return [...this.reasons].map(([name, reason]) => ({
      name,
      reason,
      isUp: reason === undefined,
      isRequired: this.options.readiness.require.some((required) => required === name),
    }));
  }

  /** Words for the phase the process is in. */
  get phase(): string {
    return this.lifecycle.phase;
  }

  private async check(): Promise<void> {
    await Promise.all(
      this.checks.map(async (check) => {
        const { name } = check;
        const reason = await check.outage();
        this.reasons.set(name, reason);
        this.options.onReadiness?.(name, reason === undefined);
      }),
    );
  }
}
