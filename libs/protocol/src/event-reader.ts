const LF = '\n';
const CR = '\r';
const DATA = 'data:';
/** Bytes of one line that are kept while it is not complete (`decisions.md` B4). */
const MAX_LINE = 256 * 1024;
/** Bytes of the buffer for such lines that is kept from one to the next. */
const KEPT = 16 * 1024;

/** Told of each line of data in an event stream, its bytes as one character each. */
export type DataLine = (data: string, isWhole: boolean) => void;

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
    if (chunk.length === 0) return;
    // a chunk is what one read brought, and searching a text costs less than searching a small buffer
    const text = chunk.toString('latin1');
    const rest = this.lines(text, this.endedWithCr && text.startsWith(LF) ? 1 : 0);
    this.endedWithCr = text.endsWith(CR);
    if (rest < text.length) this.carry(text, rest);
  }

  /** Nothing follows: a last line without an end is one. */
  end(): void {
    if (this.length > 0) this.line('', 0, 0);
  }

  /** Tells each line that ends in the text, and returns where what is left of it begins. */
  private lines(text: string, from: number): number {
    let start = from;
    let lf = text.indexOf(LF, start);
    let cr = text.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = earlier(lf, cr);
      this.line(text, start, end);
      start = end === cr && lf === end + 1 ? end + 2 : end + 1;
      if (lf !== -1 && lf < start) lf = text.indexOf(LF, start);
      if (cr !== -1 && cr < start) cr = text.indexOf(CR, start);
    }
    return start;
  }

  private line(text: string, start: number, end: number): void {
    if (this.length === 0) return this.tell(text, start, end, true);
    this.carry(text, start, end);
    const line = this.carried.toString('latin1', 0, this.length);
    const isWhole = !this.isOverlong;
    this.length = 0;
    this.isOverlong = false;
    this.tell(line, 0, line.length, isWhole);
    if (this.carried.length > KEPT) this.carried = EMPTY;
  }

  private tell(text: string, start: number, end: number, isWhole: boolean): void {
    if (!text.startsWith(DATA, start) || end - start < DATA.length) return;
    const from = start + DATA.length;
    this.onData(text.slice(text.startsWith(' ', from) ? from + 1 : from, end), isWhole);
  }

  private carry(text: string, start: number, end = text.length): void {
    const kept = Math.min(end - start, MAX_LINE - this.length);
    if (kept < end - start) this.isOverlong = true;
    const needed = this.length + kept;
    if (needed > this.carried.length) this.grow(needed);
    // bytes of its own: a part of a text keeps the whole of it alive
    this.carried.write(text.slice(start, start + kept), this.length, 'latin1');
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
