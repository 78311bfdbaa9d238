import { ByteCollector } from '#foundation';
import { EventReader, readUsage } from '#protocol';
import type { ByteObserver, Usage } from '#protocol';
import { eventFacts, keyFacts } from './event-facts.ts';

/** What was seen of an answer as it passed. */
export interface AnswerFacts {
  /** When the first and the last event with output passed, on the clock of `performance.now()`. */
  readonly firstOutputAt: number | undefined;
  readonly lastOutputAt: number | undefined;
  readonly outputEvents: number;
  readonly usage: Usage | undefined;
  readonly finishReasons: readonly string[];
  /** Whether the answer said of itself that it is complete, and not that it failed. */
  readonly isTerminated: boolean;
}

const DONE = '[DONE]';

/** Sees an event stream pass: stamps output, reads usage, keeps nothing but counts. */
export class StreamObserver implements ByteObserver {
  private readonly reader = new EventReader((data, isWhole) => {
    this.data(data, isWhole);
  });
  private firstOutputAt: number | undefined;
  private lastOutputAt: number | undefined;
  private outputEvents = 0;
  private usage: Usage | undefined;
  private readonly reasons = new Set<string>();
  private isTerminated = false;
  private isFailed = false;

  constructor(
    private readonly onFirstOutput: (now: number) => void,
    private readonly onEnd: (facts: AnswerFacts, error: Error | undefined) => void,
  ) {}

  chunk(chunk: Buffer): void {
    this.reader.push(chunk);
  }

  end(error: Error | undefined): void {
    if (error === undefined) this.reader.end();
    this.onEnd(
      {
        firstOutputAt: this.firstOutputAt,
        lastOutputAt: this.lastOutputAt,
        outputEvents: this.outputEvents,
        usage: this.usage,
        finishReasons: [...this.reasons],
        isTerminated: this.isTerminated && !this.isFailed,
      },
      error,
    );
  }

  private data(data: string, isWhole: boolean): void {
    if (data === DONE) {
      this.isTerminated = true;
      return;
    }
    const { carriesOutput, finishReasons: reasons, isFailure, mayHoldUsage } = eventFacts(data);
    if (carriesOutput) this.output();
    for (const reason of reasons) {
      this.reasons.add(reason);
      this.isTerminated = true;
    }
    if (isFailure) this.isFailed = true;
    // the usage of an event that was not kept whole may be the last one: what came before it is not
    if (!isWhole) this.usage = undefined;
    else if (mayHoldUsage) this.usage = readUsage(Buffer.from(data, 'latin1')) ?? this.usage;
  }

  private output(): void {
    const now = performance.now();
    this.outputEvents++;
    this.lastOutputAt = now;
    if (this.firstOutputAt !== undefined) return;
    this.firstOutputAt = now;
    this.onFirstOutput(now);
  }
}

/** Bytes of a whole answer that are kept to read its usage from; a longer answer's is unknown (`decisions.md` B4). */
const MAX_KEPT = 256 * 1024;

/** Sees a whole answer pass and reads its usage at the end. */
export class BufferedObserver implements ByteObserver {
  private kept: ByteCollector | undefined = new ByteCollector(MAX_KEPT);

  constructor(private readonly onEnd: (facts: AnswerFacts, error: Error | undefined) => void) {}

  chunk(chunk: Buffer): void {
    if (this.kept?.add(chunk) === false) this.kept = undefined;
  }

  end(error: Error | undefined): void {
    const json = error === undefined ? this.kept?.take() : undefined;
    this.kept = undefined;
    const keys = json === undefined ? undefined : keyFacts(json.toString('latin1'));
    this.onEnd(
      {
        firstOutputAt: undefined,
        lastOutputAt: undefined,
        outputEvents: 0,
        usage: json !== undefined && keys?.usage === true ? readUsage(json) : undefined,
        finishReasons: [...new Set(keys?.reasons)],
        isTerminated: error === undefined,
      },
      error,
    );
  }
}
