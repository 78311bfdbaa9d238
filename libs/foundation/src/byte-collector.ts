const FIRST_CAPACITY = 64 * 1024;
/** Bytes behind which any announced length is believed: memory that is not written to costs nothing, so one allocation is enough. */
const EARNEST = 1024 * 1024;
/** A length is believed before that when this part of it has come. */
const PART = 1 / 16;

/**
 * Gathers chunks into one buffer as they arrive, so that the copying is spread over the arrivals instead of done at once
 * at the end. Capacity doubles, so it holds at most twice the bytes received, until a sixteenth or a megabyte of an announced length has
 * come: then the announced length is taken at once, and never copied again. It is not allocated before bytes back it up.
 */
export class ByteCollector {
  private buffer: Buffer = Buffer.alloc(0);
  private length = 0;

  /**
   * @param limit bytes after which `add` refuses
   * @param expected the announced length, if any
   */
  constructor(
    private readonly limit: number,
    private readonly expected?: number,
  ) {}

  get size(): number {
    return this.length;
  }

  /** Takes the chunk over or copies it; false when the limit is passed, and then the chunk is not kept. */
  add(chunk: Buffer): boolean {
    const needed = this.length + chunk.length;
    if (needed > this.limit) return false;
    if (this.length === 0 && (this.expected === chunk.length || this.expected === undefined)) {
      this.buffer = chunk;
    } else {
      if (needed > this.buffer.length) this.grow(needed);
      chunk.copy(this.buffer, this.length);
    }
    this.length = needed;
    return true;
  }

  /** All bytes so far; the collector must not be added to afterwards. */
  take(): Buffer {
    return this.buffer.length === this.length ? this.buffer : this.buffer.subarray(0, this.length);
  }

  private grow(needed: number): void {
    const doubled = Math.max(needed, this.buffer.length * 2, FIRST_CAPACITY);
    const capped = Math.min(doubled, this.limit);
    const capacity = this.announced(needed, capped) ?? capped;
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }

  /** The capacity that an announced length asks for; undefined where there is none to go by. */
  private announced(needed: number, capped: number): number | undefined {
    if (this.expected === undefined || this.expected < needed || this.expected > this.limit) return undefined;
    return needed >= EARNEST || needed >= this.expected * PART ? this.expected : Math.min(capped, this.expected);
  }
}
