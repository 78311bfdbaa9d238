/** How busy a worker is: at most `limit` requests run, the others wait in order of arrival. */
export class WorkerLoad {
  private readonly queue: (() => void)[] = [];
  private active = 0;
  private heldTokens = 0;

  constructor(private readonly limit: number) {}

  get running(): number {
    return this.active;
  }

  get waiting(): number {
    return this.queue.length;
  }

  /** Prompt tokens of the running requests. */
  get tokens(): number {
    return this.heldTokens;
  }

  /** Does the work when it is its turn. @throws the signal's reason when it aborts in the queue */
  async run<T>(tokens: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.acquire(signal);
    this.heldTokens += tokens;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      this.heldTokens -= tokens;
      this.release();
    }
  }

  private async acquire(signal: AbortSignal): Promise<void> {
    if (this.active < this.limit) {
      this.active += 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        this.queue.splice(this.queue.indexOf(begin), 1);
        reject(signal.reason as Error); // set by Exchange, which aborts with an error only
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      signal.addEventListener('abort', leave, { once: true });
      this.queue.push(begin);
    });
  }

  /** The place goes to the first in the queue directly, so that nobody can slip in between. */
  private release(): void {
    const next = this.queue.shift();
    if (next === undefined) this.active -= 1;
    else next();
  }
}
