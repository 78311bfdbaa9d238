/** Bytes of a token. */
const WIDTH = 4;

/** Bytes that count as tokens, four of them one, the last one filled up with zeros; whole tokens may stand between them. */
export class PseudoTokens {
  private bytes: Buffer<ArrayBuffer>;
  private length = 0;

  /** @param expected bytes that will come to it, by a guess */
  constructor(expected: number) {
    this.bytes = Buffer.allocUnsafeSlow(Math.max(64, expected + WIDTH));
  }

  append(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.bytes, this.length);
  }

  /** Copies of one token, behind a token's end. @returns the first one's place among the tokens */
  repeat(token: number, count: number): number {
    this.reserve(WIDTH + count * WIDTH);
    const first = this.fillUp();
    new Uint32Array(this.bytes.buffer, first * WIDTH, count).fill(token);
    this.length += count * WIDTH;
    return first;
  }

  done(): Uint32Array {
    this.reserve(WIDTH);
    return new Uint32Array(this.bytes.buffer, 0, this.fillUp());
  }

  /** @returns tokens up to there */
  private fillUp(): number {
    const tokens = Math.ceil(this.length / WIDTH);
    this.bytes.fill(0, this.length, tokens * WIDTH);
    this.length = tokens * WIDTH;
    return tokens;
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.ceil(Math.max(needed, this.bytes.length * 2) / WIDTH) * WIDTH);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
