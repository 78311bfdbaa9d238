/**
 * Lets so many lines of a log through in each stretch of time and counts the others, for what may happen a thousand times a second.
 * Nothing is lost but the single lines: the next one that is let through says how many there were.
 */
export class LineBudget {
  private since = -Infinity;
  private used = 0;
  private omitted = 0;

  /** @param stretch milliseconds in which `lines` are let through */
  constructor(
    private readonly lines: number,
    private readonly stretch: number,
  ) {}

  /**
   * @param now on the clock of `performance.now()`
   * @returns how many lines were left out since the last one that was not; undefined where this one is to be left out
   */
  take(now = performance.now()): number | undefined {
    if (now - this.since >= this.stretch) {
      this.since = now;
      this.used = 0;
    }
    if (this.used >= this.lines) {
      this.omitted++;
      return undefined;
    }
    this.used++;
    const { omitted } = this;
    this.omitted = 0;
    return omitted;
  }
}
