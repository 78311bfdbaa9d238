import type { ByteObserver } from '#protocol';
import { carriesOutput, finishReasons } from './event-facts.ts';
import { EventReader } from './event-reader.ts';
import { mayHoldUsage, readUsage } from './usage.ts';
import type { Usage } from './usage.ts';

/** What was seen of an answer as it passed. */
export interface AnswerFacts {
  /** When the first and the last event with output passed, on the clock of `performance.now()`. */
  readonly firstOutputAt: number | undefined;
  readonly lastOutputAt: number | undefined;
  readonly outputEvents: number;
  readonly usage: Usage | undefined;
  readonly finishReasons: readonly string[];
  /** Whether the answer said of itself that it is complete. */
  readonly isTerminated: boolean;
}

const DONE = Buffer.from('[DONE]');

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

  constructor(
    private readonly onFirstOutput: (now: number) => void,
    private readonly onEnd: (facts: AnswerFacts, error: Error | undefined) => void,
  ) {}

  chunk(chunk: Buffer): void {
    this.reader.push(chunk);
  }

  end(error: Error | undefined): void {
    this.onEnd(
      {
        firstOutputAt: this.firstOutputAt,
        lastOutputAt: this.lastOutputAt,
        outputEvents: this.outputEvents,
        usage: this.usage,
        finishReasons: [...this.reasons],
        isTerminated: this.isTerminated,
      },
      error,
    );
  }

  private data(data: Buffer, isWhole: boolean): void {
    if (data.equals(DONE)) {
      this.isTerminated = true;
      return;
    }
    if (carriesOutput(data)) this.output();
    for (const reason of finishReasons(data)) {
      this.reasons.add(reason);
      this.isTerminated = true;
    }
    if (isWhole && mayHoldUsage(data)) this.usage = readUsage(data) ?? this.usage;
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
  private kept: Buffer[] = [];
  private length = 0;

  constructor(private readonly onEnd: (facts: AnswerFacts, error: Error | undefined) => void) {}

  chunk(chunk: Buffer): void {
    this.length += chunk.length;
    if (this.length <= MAX_KEPT) this.kept.push(chunk);
    else this.kept = [];
  }

  end(error: Error | undefined): void {
    const json = error === undefined && this.length <= MAX_KEPT ? Buffer.concat(this.kept) : undefined;
    this.kept = [];
    this.onEnd(
      {
        firstOutputAt: undefined,
        lastOutputAt: undefined,
        outputEvents: 0,
        usage: json !== undefined && mayHoldUsage(json) ? readUsage(json) : undefined,
        finishReasons: json === undefined ? [] : [...new Set(finishReasons(json))],
        isTerminated: error === undefined,
      },
      error,
    );
  }
}
