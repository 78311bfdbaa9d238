import type { QueueFigure } from '#broker';
import { BrokerError } from '#broker';
import type { Metrics } from '../metrics.ts';
import { QueueGauges, queuedFor, timeLeft } from '../queue-gauges.ts';
import { QueueWatch } from '../queue-watch.ts';
import type { QueueSource } from '../queue-watch.ts';

/** The queues that a coordinator's broker puts requests on, as its metrics and its admin listener show them. */
export class QueueView {
  constructor(
    private readonly source: QueueSource,
    private readonly queues: readonly string[],
  ) {}

  /** Each queue as it is, or why Redis did not tell. */
  list(): Promise<readonly object[]> {
    return Promise.all(this.queues.map((queue) => this.look(queue)));
  }

  /** Shows them as metrics, until it is closed. */
  watch({ on }: Metrics): QueueWatch {
    const gauges = { depth: on.asyncQueueDepth, oldest: on.asyncQueueOldest, deadline: on.asyncQueueDeadline };
    return QueueWatch.start(this.source, this.queues, new QueueGauges(gauges));
  }

  private async look(queue: string): Promise<object> {
    try {
      return shown(await this.source.figures(queue));
    } catch (error) {
      return { queue, failure: error instanceof BrokerError ? error.failure : 'other' };
    }
  }
}

function shown(figure: QueueFigure): object {
  const now = Date.now() / 1000;
  return {
    queue: figure.queue,
    depth: figure.depth,
    oldest_seconds: rounded(queuedFor(figure, now)),
    deadline_seconds: rounded(timeLeft(figure, now)),
    leased: figure.leased,
    retrying: figure.retrying,
    dead_letters: figure.deadLetters,
  };
}

function rounded(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.round(seconds);
}
