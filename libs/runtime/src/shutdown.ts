import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import { Logger } from '@nestjs/common';
import type { Server } from 'node:http';
import type { Lifecycle } from '#foundation';

/** Milliseconds. */
export interface ShutdownLimits {
  /** Readiness is off, requests are served on. */
  readonly drainDelay: number;
  /** From the signal; what is left then is broken off. */
  readonly timeout: number;
  /** What `timeout` is called where it is set. */
  readonly setting?: string;
}

/** Milliseconds for last events to leave, and for Nest's own hooks. */
const LAST_WORDS = 1_500;
const HOOKS = 5_000;

/**
 * The way from a signal to the end of the process: readiness off at once, `drain_delay` of service, no new connections, what
 * runs is finished, what is left at `shutdown_timeout` is broken off.
 * @see decisions.md O2
 */
export class Shutdown {
  private readonly logger = new Logger('shutdown');
  private begun: Promise<void> | undefined;

  constructor(
    /** One for each listener, all of one lifecycle. */
    private readonly apps: INestApplication | readonly INestApplication[],
    private readonly lifecycle: Lifecycle,
    private readonly limits: ShutdownLimits,
    /** Closes what stands beside the app, once nothing is served any more. */
    private readonly closeRest: () => Promise<void> = () => Promise.resolve(),
  ) {}

  /** Begins, or joins what was begun. Done when everything is closed. */
  run(signal: string): Promise<void> {
    this.begun ??= this.drain(signal);
    return this.begun;
  }

  private async drain(signal: string): Promise<void> {
    const deadline = performance.now() + Math.max(this.limits.timeout, this.limits.drainDelay);
    this.lifecycle.advance('draining');
    this.logger.log({ signal, in_flight: this.lifecycle.inFlight }, 'draining');
    await delay(this.limits.drainDelay);
    this.lifecycle.advance('closing');
    this.stopAccepting();
    await Promise.race([
      this.lifecycle.idle(),
      delay(Math.max(0, deadline - performance.now()), undefined, { ref: false }),
    ]);
    if (this.lifecycle.inFlight > 0) {
      const { setting = 'server.shutdown_timeout' } = this.limits;
      this.logger.warn({ in_flight: this.lifecycle.inFlight }, `breaking off what is left at ${setting}`);
      this.lifecycle.breakOffAll();
      await Promise.race([this.lifecycle.idle(), delay(LAST_WORDS, undefined, { ref: false })]);
    }
    for (const server of this.servers()) server.closeAllConnections();
    const closed = [...[this.apps].flat().map((app) => app.close()), this.closeRest()];
    await Promise.race([Promise.all(closed), delay(HOOKS, undefined, { ref: false })]);
    this.logger.log('stopped');
  }

  private stopAccepting(): void {
    for (const server of this.servers()) {
      server.close();
      server.closeIdleConnections();
    }
  }

  private servers(): readonly Server[] {
    // the apps use Fastify over node:http alone
    return [this.apps].flat().map((app) => app.getHttpServer() as Server);
  }
}
