const LF = 0x0a;
const CR = 0x0d;
const DATA = Buffer.from('data:');
const SPACE = 0x20;
/** Bytes of one line that are kept while it is not complete (`decisions.md` B4). */
const MAX_LINE = 256 * 1024;

/** Told of each line of data in an event stream. */
export type DataLine = (data: Buffer, isWhole: boolean) => void;

/**
 * Finds the data lines of an event stream, wherever it is cut and whichever line ends it uses. A line that lies within one chunk is
 * looked at where it is; one that is cut is gathered, up to a cap, beyond which only its beginning is known.
 */
export class EventReader {
  private carried: Buffer[] = [];
  private carriedLength = 0;
  private isOverlong = false;
  private endedWithCr = false;

  constructor(private readonly onData: DataLine) {}

  push(chunk: Buffer): void {
    let start = this.endedWithCr && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) this.endedWithCr = chunk[chunk.length - 1] === CR;
    let end = nextLineEnd(chunk, start);
    while (end !== -1) {
      this.line(chunk.subarray(start, end));
      start = chunk[end] === CR && chunk[end + 1] === LF ? end + 2 : end + 1;
      end = nextLineEnd(chunk, start);
    }
    if (start < chunk.length) this.carry(chunk.subarray(start));
  }

  private line(rest: Buffer): void {
    const isWhole = !this.isOverlong;
    const line = this.carriedLength === 0 ? rest : Buffer.concat([...this.carried, isWhole ? rest : EMPTY]);
    this.carried = [];
    this.carriedLength = 0;
    this.isOverlong = false;
    if (line.length < DATA.length || line.compare(DATA, 0, DATA.length, 0, DATA.length) !== 0) return;
    const from = line[DATA.length] === SPACE ? DATA.length + 1 : DATA.length;
    this.onData(line.subarray(from), isWhole);
  }

  private carry(rest: Buffer): void {
    const room = MAX_LINE - this.carriedLength;
    if (rest.length > room) this.isOverlong = true;
    const kept = rest.subarray(0, Math.max(0, room));
    if (kept.length === 0) return;
    // a copy: the chunk is part of a larger buffer of the connection, which must not be kept alive by a few bytes
    this.carried.push(Buffer.from(kept));
    this.carriedLength += kept.length;
  }
}

const EMPTY = Buffer.alloc(0);

function nextLineEnd(chunk: Buffer, start: number): number {
  for (let pos = start; pos < chunk.length; pos++) {
    const byte = chunk[pos];
    if (byte === LF || byte === CR) return pos;
  }
  return -1;
}
