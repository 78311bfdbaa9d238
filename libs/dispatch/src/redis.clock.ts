/** The time of day at Redis, which all workers share, as its last reply told it and this process has counted on since. */
export class RedisClock {
  private ahead = 0;
  private isSet = false;

  /** @param time milliseconds since 1970, as a script gave it */
  set(time: number): void {
    this.ahead = time - performance.now();
    this.isSet = true;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.isSet ? performance.now() + this.ahead : Date.now();
  }
}
