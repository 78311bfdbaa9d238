import { ByteCollector } from '#foundation';

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const DATA = Buffer.from('data:');
/** Bytes of one line that are kept while it is not complete. */
const MAX_LINE = 256 * 1024;

/**
 * Finds the data lines of an event stream, wherever it is cut and whichever of LF, CR LF and CR ends a line. What lies within one chunk is
 * looked at where it is.
 */
export class DataLines {
  private carried: ByteCollector | undefined;
  private isOverlong = false;
  private endedWithCr = false;

  /** @param onData told of what stands behind `data:`, or undefined for a line that is too long to be kept */
  constructor(private readonly onData: (data: Buffer | undefined) => void) {}

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    const rest = this.lines(chunk, this.endedWithCr && chunk[0] === LF ? 1 : 0);
    this.endedWithCr = chunk.at(-1) === CR;
    if (rest < chunk.length) this.carry(chunk.subarray(rest));
  }

  /** Nothing follows: a last line without an end is one. */
  end(): void {
    if (this.carried !== undefined) this.line(EMPTY);
  }

  /** Tells of each line that ends in the chunk, and returns where what is left of it begins. */
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

  private line(end: Buffer): void {
    if (this.carried === undefined) return this.tell(end, false);
    this.carry(end);
    const line = this.carried.take();
    const { isOverlong } = this;
    this.carried = undefined;
    this.isOverlong = false;
    this.tell(line, isOverlong);
  }

  private tell(line: Buffer, isOverlong: boolean): void {
    if (!line.subarray(0, DATA.length).equals(DATA)) return;
    const from = line[DATA.length] === SPACE ? DATA.length + 1 : DATA.length;
    this.onData(isOverlong ? undefined : line.subarray(from));
  }

  /** Of a line that is too long its beginning stays, which tells whether it is one of data. */
  private carry(part: Buffer): void {
    if (this.isOverlong) return;
    this.carried ??= new ByteCollector(MAX_LINE);
    if (this.carried.add(part)) return;
    this.isOverlong = true;
    if (this.carried.size < DATA.length) this.carried.add(part.subarray(0, DATA.length));
  }
}

const EMPTY = Buffer.alloc(0);

/** The first of two positions, of which -1 is none. */
function earlier(a: number, b: number): number {
  return a === -1 || (b !== -1 && b < a) ? b : a;
}
