/** Lets a loop wait until something happens. */
export class Waker {
  private isAwake = false;
  private resolve: (() => void) | undefined;

  /** Ends the wait that is going on, or else the next one. */
  wake(): void {
    this.isAwake = true;
    this.resolve?.();
  }

  /** @param limit milliseconds */
  async wait(limit: number): Promise<void> {
    if (!this.isAwake) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limit);
        this.resolve = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.resolve = undefined;
    }
    this.isAwake = false;
  }
}
