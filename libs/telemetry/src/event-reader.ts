const LF = 0x0a;
const CR = 0x0d;
const DATA = Buffer.from('data:');
const SPACE = 0x20;
/** Bytes of one line that are kept while it is not complete (`decisions.md` B4). */
const MAX_LINE = 256 * 1024;
/** Bytes of the buffer for such lines that is kept from one to the next. */
const KEPT = 16 * 1024;

/** Told of each line of data in an event stream; the bytes are good for the time of the call. */
export type DataLine = (data: Buffer, isWhole: boolean) => void;

/**
 * Finds the data lines of an event stream, wherever it is cut and whichever line ends it uses. A line that lies within one chunk is
 * looked at where it is; one that is cut is gathered, up to a cap, beyond which only its beginning is known.
 */
export class EventReader {
  private carried: Buffer = EMPTY;
  private length = 0;
  private isOverlong = false;
  private endedWithCr = false;

  constructor(private readonly onData: DataLine) {}

  push(chunk: Buffer): void {
    const first = this.endedWithCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.endedWithCr = chunk[chunk.length - 1] === CR;
    const rest = this.lines(chunk, first);
    if (rest < chunk.length) this.carry(chunk.subarray(rest));
  }

  /** Nothing follows: a last line without an end is one. */
  end(): void {
    if (this.length > 0) this.line(EMPTY);
  }

  /** Tells each line that ends in the chunk, and returns where what is left of it begins. */
  private lines(chunk: Buffer, from: number): number {
    let start = from;
    let lf = chunk.indexOf(LF, start);
    let cr = chunk.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = earlier(lf, cr);
      this.line(chunk.subarray(start, end));
      start = end === cr && lf === end + 1 ? end + 2 : end + 1;
      if (lf !== -1 && lf < start) lf = chunk.indexOf(LF, start);
      if (cr !== -1 && cr < start) cr = chunk.indexOf(CR, start);
    }
    return start;
  }

  private line(rest: Buffer): void {
    if (this.length === 0) return this.tell(rest, true);
    this.carry(rest);
    const line = this.carried.subarray(0, this.length);
    const isWhole = !this.isOverlong;
    this.length = 0;
    this.isOverlong = false;
    this.tell(line, isWhole);
    if (this.carried.length > KEPT) this.carried = EMPTY;
  }

  private tell(line: Buffer, isWhole: boolean): void {
    if (line.length < DATA.length || line.compare(DATA, 0, DATA.length, 0, DATA.length) !== 0) return;
    const from = line[DATA.length] === SPACE ? DATA.length + 1 : DATA.length;
    this.onData(line.subarray(from), isWhole);
  }

  private carry(rest: Buffer): void {
    const kept = Math.min(rest.length, MAX_LINE - this.length);
    if (kept < rest.length) this.isOverlong = true;
    const needed = this.length + kept;
    if (needed > this.carried.length) this.grow(needed);
    // a copy: the chunk is part of a larger buffer of the connection, which must not be kept alive by a few bytes
    rest.copy(this.carried, this.length, 0, kept);
    this.length = needed;
  }

  private grow(needed: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(MAX_LINE, Math.max(needed, 2 * this.carried.length, 1024)));
    this.carried.copy(grown, 0, 0, this.length);
    this.carried = grown;
  }
}

/** The first of two positions, of which -1 is none. */
function earlier(a: number, b: number): number {
  return a === -1 || (b !== -1 && b < a) ? b : a;
}

const EMPTY = Buffer.alloc(0);
