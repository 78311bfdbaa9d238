/** A beat for every interval of silence. */
export class Heartbeat {
  private readonly timer: NodeJS.Timeout;

  /** @param interval milliseconds */
  constructor(interval: number, beat: () => void) {
    this.timer = setInterval(beat, interval);
  }

  /** Something was said: the interval begins again. */
  defer(): void {
    this.timer.refresh();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
