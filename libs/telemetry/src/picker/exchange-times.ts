/** Times of one exchange, in seconds. */
export class ExchangeTimes {
  private readonly startedAt = performance.now();
  private firstAt: number | undefined;
  private lastAt: number | undefined;

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

  /** Notes a chunk. @returns the time since the one before it, undefined for the first */
  chunk(): number | undefined {
    const now = performance.now();
    const gap = this.lastAt === undefined ? undefined : seconds(now - this.lastAt);
    this.lastAt = now;
    return gap;
  }
}

function seconds(milliseconds: number): number {
  return milliseconds / 1000;
}
