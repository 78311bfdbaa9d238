import type { SchedulingRequest } from '../scheduling-request.ts';
import type { LoadShare } from './load-counter.ts';

/** Milliseconds between two looks, and from which on a request is looked at. */
const SWEEP_EVERY = 60_000;
const IDLE = 300_000;

interface Kept {
  readonly request: WeakRef<SchedulingRequest>;
  readonly shares: readonly LoadShare[];
  readonly since: number;
}

/**
 * The safety net for requests whose end nobody tells: their shares are let go when the request itself is gone, which no open stream lets
 * happen. However long an answer takes, it is not taken for a lost one.
 */
export class RequestShares {
  private readonly kept = new Map<symbol, Kept>();
  private readonly keys = new WeakMap<SchedulingRequest, symbol>();

  constructor() {
    setInterval(() => {
      this.sweep(performance.now());
    }, SWEEP_EVERY).unref();
  }

  /** Requests whose end is not known. */
  get size(): number {
    return this.kept.size;
  }

  keep(request: SchedulingRequest, shares: readonly LoadShare[]): void {
    const key = Symbol('request');
    this.keys.set(request, key);
    this.kept.set(key, { request: new WeakRef(request), shares, since: performance.now() });
  }

  forget(request: SchedulingRequest): void {
    const key = this.keys.get(request);
    if (key !== undefined) this.kept.delete(key);
  }

  /** @param now on the clock of `performance.now()` */
  sweep(now: number): void {
    for (const [key, { request, shares, since }] of this.kept) {
      // in the order in which they came
      if (now - since < IDLE) return;
      if (request.deref() !== undefined) continue;
      for (const share of shares) share.releaseAll();
      this.kept.delete(key);
    }
  }
}
