import { PARTS } from './label-values.ts';
import type { Part } from './label-values.ts';

/** Milliseconds by part. */
export type PartTimes = Readonly<Record<Part, number>>;

/**
 * Splits a request's time, from its request line to its first output, into parts that do not overlap: at any moment exactly one
 * part is running, so that they add up to the whole by construction. It begins in `receive`; between phases it is `coordinator`.
 * Of phases that run at the same time it is the one that began first, for as long as that takes. All times are on the clock of `performance.now()`.
 */
export class PhaseClock {
  private readonly totals: Record<Part, number>;
  private running: Part = 'receive';
  private since: number;
  /** The phase of each call in flight, in the order in which they began. */
  private readonly inFlight: Part[] = [];
  private stoppedAt: number | undefined;

  constructor(readonly startedAt: number) {
    this.since = startedAt;
    // PARTS lists every part
    this.totals = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  }

  /** The body is there; what follows is ours until a phase begins. */
  received(now: number): void {
    if (this.running === 'receive') this.switchTo('coordinator', now);
  }

  /** A call of that phase is in flight. Several of one phase may be. */
  enter(part: Part, now: number): void {
    this.inFlight.push(part);
    this.switchTo(this.inFlight[0] ?? part, now);
  }

  /** A call of the phase is over; the phase is when its last one is. */
  leave(part: Part, now: number): void {
    const at = this.inFlight.indexOf(part);
    if (at < 0) return;
    this.inFlight.splice(at, 1);
    this.switchTo(this.inFlight[0] ?? 'coordinator', now);
  }

  /** The first output was handed to the client, or the request has ended without: what comes later is not part of it. */
  stop(now: number): void {
    if (this.stoppedAt !== undefined) return;
    this.switchTo(this.running, now);
    this.stoppedAt = now;
  }

  get isStopped(): boolean {
    return this.stoppedAt !== undefined;
  }

  /** Milliseconds from the start to `stop`, or up to the last change while it runs. */
  get total(): number {
    return (this.stoppedAt ?? this.since) - this.startedAt;
  }

  get parts(): PartTimes {
    return this.totals;
  }

  private switchTo(part: Part, now: number): void {
    if (this.stoppedAt !== undefined) return;
    this.totals[this.running] += now - this.since;
    this.since = now;
    this.running = part;
  }
}
