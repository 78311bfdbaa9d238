/** Times of one exchange, in seconds. */
export class ExchangeTimes {
  private readonly startedAt = performance.now();
  private firstAt: number | undefined;
  private chunkAt: number | undefined;
  private isHandling = false;
  private handled = 0;
  private answerAt: number | undefined;
  private cycleAt = 0;

  sinceStart(): number {
    return seconds(performance.now() - this.startedAt);
  }

  firstByte(): void {
    this.firstAt ??= performance.now();
  }

  /** From the request to the first byte of the answer; undefined while there is none. */
  get toFirstByte(): number | undefined {
    return this.firstAt === undefined ? undefined : seconds(this.firstAt - this.startedAt);
  }

  /** The answer begins. */
  answered(): void {
    this.answerAt ??= performance.now();
  }

  /** Notes a chunk. @returns the time since the one before it, undefined for the first */
  chunk(): number | undefined {
    const now = performance.now();
    const gap = this.chunkAt === undefined ? undefined : seconds(now - this.chunkAt);
    this.chunkAt = now;
    this.isHandling = true;
    return gap;
  }

  /** The chunk is dealt with. */
  chunkHandled(): void {
    if (this.isHandling && this.chunkAt !== undefined) this.handled += performance.now() - this.chunkAt;
    this.isHandling = false;
  }

  /**
   * What the answer cost; undefined where there was none.
   * @param isStream its chunks together, but not the time between them; of any other answer it is the time from its head to its end
   */
  responding(isStream: boolean): number | undefined {
    this.chunkHandled();
    if (this.answerAt === undefined) return undefined;
    return seconds(isStream ? this.handled : performance.now() - this.answerAt);
  }

  cycle(): void {
    this.cycleAt = performance.now();
  }

  /** Since the scheduling cycle began. */
  sinceCycle(): number {
    return seconds(performance.now() - this.cycleAt);
  }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}
