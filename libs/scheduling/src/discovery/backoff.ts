import { setTimeout as delay } from 'node:timers/promises';

/** Pauses between attempts, each up to twice as long as the one before, until something works. Times are milliseconds. */
export class Backoff {
  private next: number;

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {
    this.next = first;
  }

  reset(): void {
    this.next = this.first;
  }

  /** Done at once when the signal aborts. Half of a pause is left to chance, so that replicas do not come all together. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = this.next * (0.5 + Math.random() / 2);
    this.next = Math.min(this.next * 2, this.longest);
    await delay(pause, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
