import type { DispatchConfig } from './dispatch.config.ts';

/** Bytes that one command takes, but for a single message that is larger: they arrive as one reply. */
const TAKEN_AT_ONCE = 32 * 1024 * 1024;
/** Messages that one command takes: Redis does nothing else meanwhile. */
const MOST_AT_ONCE = 256;

/** What may be taken. */
export interface Room {
  readonly count: number;
  /** Of all together. */
  readonly bytes: number;
  /** Of the first one. */
  readonly firstBytes: number;
}

/** How many messages are held, and how large they are. */
export class HeldBudget {
  private readonly most: number;
  private count = 0;
  private bytes = 0;
  /** Bytes of a message that waits for room; smaller ones would take it all the time. */
  private wanted = 0;

  constructor(private readonly config: Pick<DispatchConfig['worker'], 'concurrency' | 'max_bytes_in_flight'>) {
    this.most = config.max_bytes_in_flight * 1024 * 1024;
  }

  /** Undefined where there is none. A message that is larger than all there may be is taken when nothing else is held. */
  room(): Room | undefined {
    const count = this.config.concurrency - this.count;
    const left = this.most - this.bytes;
    const firstBytes = this.count === 0 ? Number.MAX_SAFE_INTEGER : left;
    if (count <= 0 || firstBytes <= 0 || firstBytes < this.wanted) return undefined;
    return { count: Math.min(count, MOST_AT_ONCE), bytes: Math.min(left, TAKEN_AT_ONCE), firstBytes };
  }

  /** @param bytes of a message that was next and too large; 0 where none was */
  wants(bytes: number): void {
    this.wanted = bytes;
  }

  add(bytes: number): void {
    this.count++;
    this.bytes += bytes;
  }

  remove(bytes: number): void {
    this.count--;
    this.bytes -= bytes;
  }
}
