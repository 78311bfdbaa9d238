import type { QueueFigures } from '#broker';
import type { QueueGauges } from './queue-gauges.ts';

/** Who knows how queues stand; rejects while Redis is away. */
export type QueueSource = Pick<QueueFigures, 'figures'>;

/** Milliseconds between two looks; a command takes 5 s at most, so that a number is at most as old as both together. */
const PERIOD = 5_000;

export interface QueueWatchOptions {
  /** Told after each round whether all queues could be looked at. */
  readonly told?: (isUp: boolean) => void;
  /** Milliseconds. */
  readonly period?: number;
}

/** Looks at queues every few seconds, one after the other, whatever asks for metrics and how often. */
export class QueueWatch {
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  private constructor(
    private readonly source: QueueSource,
    private readonly queues: readonly string[],
    private readonly gauges: QueueGauges,
    private readonly options: QueueWatchOptions,
  ) {}

  static start(
    source: QueueSource,
    queues: readonly string[],
    gauges: QueueGauges,
    options: QueueWatchOptions = {},
  ): QueueWatch {
    const watch = new QueueWatch(source, queues, gauges, options);
    void watch.round();
    return watch;
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async round(): Promise<void> {
    let isUp = true;
    for (const queue of this.queues) isUp = (await this.look(queue)) && isUp;
    if (this.isClosed) return;
    this.options.told?.(isUp);
    this.timer = setTimeout(() => void this.round(), this.options.period ?? PERIOD).unref();
  }

  private async look(queue: string): Promise<boolean> {
    try {
      const state = await this.source.figures(queue);
      if (!this.isClosed) this.gauges.show(state);
      return true;
    } catch {
      this.gauges.hide(queue);
      return false;
    }
  }
}
