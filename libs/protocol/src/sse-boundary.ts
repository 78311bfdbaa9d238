const LF = 0x0a;
const CR = 0x0d;

/**
 * Follows an event stream and tells whether it stands between two events: nothing was sent yet, or the last thing sent was a
 * blank line. Lines end with LF, CR LF or CR, in any mix (WHATWG HTML, server-sent events); it needs the last bytes only,
 * wherever the stream is cut.
 */
export class SseBoundary {
  /** Whether the bytes so far end in a complete line, and whether that line is blank. */
  private state: 'start' | 'in-line' | 'line-end' | 'blank' = 'start';
  private lastByte = 0;

  get isBetweenEvents(): boolean {
    return this.state === 'start' || this.state === 'blank';
  }

  /** Takes the next bytes of the stream. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    for (let pos = this.tailStart(chunk); pos < chunk.length; pos++) this.step(chunk[pos] ?? 0);
  }

  /** What stands before the last text byte does not matter. */
  private tailStart(chunk: Buffer): number {
    let pos = chunk.length;
    while (pos > 0 && isLineEnd(chunk[pos - 1])) pos--;
    return Math.max(0, pos - 1);
  }

  private step(byte: number): void {
    if (!isLineEnd(byte)) {
      this.state = 'in-line';
    } else if (!(byte === LF && this.lastByte === CR)) {
      this.state = this.state === 'in-line' ? 'line-end' : 'blank';
    }
    this.lastByte = byte;
  }
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}
