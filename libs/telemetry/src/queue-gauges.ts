import type { QueueFigure } from '#broker';

/** A gauge by queue. */
interface Gauge {
  set(values: readonly [queue: string], value: number): void;
  remove(values: readonly [queue: string]): void;
}

/** What is shown of a queue, and by which gauge; a program shows what concerns it. */
export interface QueueGaugeSet {
  readonly depth: Gauge;
  readonly oldest: Gauge;
  readonly deadline: Gauge;
  readonly leased?: Gauge;
  readonly retrying?: Gauge;
  readonly deadLetters?: Gauge;
}

/** Queues as metrics show them. What is not known has no series: a number that stays as it was would be taken for the truth. */
export class QueueGauges {
  constructor(private readonly gauges: QueueGaugeSet) {}

  /** @param now seconds since 1970 */
  show(figure: QueueFigure, now = Date.now() / 1000): void {
    const { depth, oldest, deadline, leased, retrying, deadLetters } = this.gauges;
    const labels = [figure.queue] as const;
    depth.set(labels, figure.depth);
    leased?.set(labels, figure.leased);
    retrying?.set(labels, figure.retrying);
    deadLetters?.set(labels, figure.deadLetters);
    setOrRemove(oldest, labels, queuedFor(figure, now));
    setOrRemove(deadline, labels, timeLeft(figure, now));
  }

  hide(queue: string): void {
    // a set has nothing but gauges, some of which may be left out
    const all = Object.values(this.gauges) as (Gauge | undefined)[];
    for (const gauge of all) gauge?.remove([queue]);
  }
}

/** Seconds that the message which is next has been queued. @param now seconds since 1970 */
export function queuedFor({ oldestCreated }: QueueFigure, now: number): number | undefined {
  // clocks of two machines differ by a little
  return oldestCreated === undefined ? undefined : Math.max(0, now - oldestCreated);
}

/** Seconds until the deadline of the message that is next. @param now seconds since 1970 */
export function timeLeft({ oldestDeadline }: QueueFigure, now: number): number | undefined {
  return oldestDeadline === undefined ? undefined : oldestDeadline - now;
}

function setOrRemove(gauge: Gauge, labels: readonly [string], value: number | undefined): void {
  if (value === undefined) gauge.remove(labels);
  else gauge.set(labels, value);
}
