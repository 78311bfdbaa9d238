import { Logger } from '@nestjs/common';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lifecycle } from '#foundation';
import type { GrpcListener } from './grpc-listener.ts';

/** Milliseconds. */
export interface DrainLimits {
  /** Health is off, and requests are served on. */
  readonly drainTimeout: number;
  /** From the signal; what is left then is broken off. */
  readonly shutdownTimeout: number;
}

export interface Drained {
  /** Where Envoy asks. */
  readonly main: GrpcListener;
  /** Answers to the end: a process that drains is alive. */
  readonly health: GrpcListener;
  /** Closes what stands beside them, once nothing is served any more. */
  readonly closeRest: () => Promise<void>;
}

/** Milliseconds between two lines about what is still served. */
const PROGRESS = 5_000;
/** Milliseconds for the words with which streams are broken off to leave. */
const LAST_WORDS = 500;

/** The way from a signal to the end: not serving at once, service for `drainTimeout`, no new streams, those that run are let end. */
export class Drain {
  private readonly logger = new Logger('shutdown');
  private begun: Promise<void> | undefined;

  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly limits: DrainLimits,
    private readonly parts: Drained,
    private readonly progress = PROGRESS,
  ) {}

  /** Begins, or joins what was begun. Done when everything is closed. */
  run(signal: string): Promise<void> {
    this.begun ??= this.drain(signal);
    return this.begun;
  }

  private async drain(signal: string): Promise<void> {
    const { drainTimeout, shutdownTimeout } = this.limits;
    const deadline = performance.now() + Math.max(drainTimeout, shutdownTimeout);
    this.lifecycle.advance('draining');
    this.logger.log({ signal, in_flight: this.lifecycle.inFlight, serves_on_ms: drainTimeout }, 'draining');
    const telling = setInterval(() => {
      const left = Math.max(0, Math.round(deadline - performance.now()));
      this.logger.log({ in_flight: this.lifecycle.inFlight, phase: this.lifecycle.phase, left_ms: left }, 'draining');
    }, this.progress).unref();
    await delay(drainTimeout);
    this.lifecycle.advance('closing');
    this.logger.log({ in_flight: this.lifecycle.inFlight }, 'no new streams are taken');
    await this.stopMain(deadline);
    clearInterval(telling);
    this.parts.health.kill();
    await this.parts.closeRest();
    this.logger.log('stopped');
  }

  private async stopMain(deadline: number): Promise<void> {
    const { main } = this.parts;
    const late = new AbortController();
    const stopped = main.stop();
    const left = Math.max(0, deadline - performance.now());
    const isLate = delay(left, undefined, { signal: late.signal }).catch(() => undefined);
    await Promise.race([stopped, isLate]);
    late.abort();
    if (this.lifecycle.inFlight > 0) {
      this.logger.warn({ in_flight: this.lifecycle.inFlight }, 'breaking off what is left at --shutdown-timeout');
      this.lifecycle.breakOffAll();
      await Promise.race([stopped, delay(LAST_WORDS, undefined, { ref: false })]);
    }
    main.kill();
  }
}
