import type { Rope } from '#json';
import { editedEvent } from './cached-tokens.edit.ts';

const LF = 0x0a;
const CR = 0x0d;
const DATA = 'data:';
/** Bytes of one line that are held while it is not complete; a longer one passes as it is. */
const MAX_LINE = 256 * 1024;
/** A usage that is an object, if it is a member at all. */
const USAGE = /"usage"[ \t]*:[ \t]*\{/g;

/**
 * An event stream with the count in the usage of its events. It holds nothing but the line that is not complete, looks at no line but
 * those that may have a usage, and gives the bytes of all others as they came, however the stream is cut.
 */
export class CachedTokensEvents {
  private held: Buffer[] = [];
  private heldBytes = 0;
  /** Whether the beginning of the line at hand has passed. */
  private isPassing = false;

  constructor(private readonly count: number) {}

  /** @returns what can be sent */
  push(chunk: Buffer): Rope {
    const end = 1 + Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR));
    if (end === 0) return this.hold(chunk);
    const parts: Buffer[] = [];
    let start = 0;
    if (this.isPassing) {
      this.isPassing = false;
      start = firstLineEnd(chunk);
      parts.push(chunk.subarray(0, start));
    }
    if (start < end) this.lines(this.released(chunk.subarray(start, end)), parts);
    if (end < chunk.length) parts.push(...this.hold(chunk.subarray(end)));
    return parts;
  }

  /** Nothing follows: a last line without an end is one. */
  end(): Rope {
    const parts: Buffer[] = [];
    if (this.heldBytes > 0) this.lines(this.released(), parts);
    return parts;
  }

  private hold(bytes: Buffer): Rope {
    if (this.isPassing) return [bytes];
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (this.heldBytes <= MAX_LINE) return [];
    this.isPassing = true;
    return [this.released()];
  }

  /** What was held, and what goes on with it. */
  private released(...next: readonly Buffer[]): Buffer {
    const [only] = next;
    if (this.heldBytes === 0 && only !== undefined) return only;
    const bytes = Buffer.concat([...this.held, ...next]);
    this.held = [];
    this.heldBytes = 0;
    return bytes;
  }

  /** Adds the lines to the parts, those that have a usage with the count. */
  private lines(bytes: Buffer, parts: Buffer[]): void {
    // a chunk is what one read brought, and searching a text costs less than searching a small buffer
    const text = bytes.toString('latin1');
    const ends = new LineEnds(text);
    let sent = 0;
    USAGE.lastIndex = 0;
    for (let found = USAGE.exec(text); found !== null; found = USAGE.exec(text)) {
      const from = dataStart(text, ends.before(found.index));
      const to = ends.behind(found.index);
      USAGE.lastIndex = to;
      const edited = from === undefined ? undefined : editedEvent(bytes.subarray(from, to), this.count);
      if (from === undefined || edited === undefined) continue;
      parts.push(bytes.subarray(sent, from), ...edited);
      sent = to;
    }
    if (sent < bytes.length) parts.push(bytes.subarray(sent));
  }
}

/** Where lines end; an end that the text does not use is not looked for again and again. */
class LineEnds {
  private readonly used: readonly string[];

  constructor(private readonly text: string) {
    this.used = ['\n', '\r'].filter((end) => text.includes(end));
  }

  /** Where the line at `pos` begins. */
  before(pos: number): number {
    return 1 + Math.max(-1, ...this.used.map((end) => this.text.lastIndexOf(end, pos)));
  }

  /** Where it ends. */
  behind(pos: number): number {
    const ends = this.used.map((end) => this.text.indexOf(end, pos)).filter((end) => end !== -1);
    return Math.min(this.text.length, ...ends);
  }
}

/** Where the data of a line begins; undefined for a line that has none. */
function dataStart(text: string, line: number): number | undefined {
  return text.startsWith(DATA, line) ? line + DATA.length : undefined;
}

function firstLineEnd(chunk: Buffer): number {
  const ends = [chunk.indexOf(LF), chunk.indexOf(CR)].filter((end) => end !== -1);
  return 1 + Math.min(...ends);
}
