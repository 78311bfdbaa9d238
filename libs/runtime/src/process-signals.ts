/** Exit status of a process that a second signal ended, as shells have it. */
const STATUS: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Ends the process on SIGTERM or SIGINT: the first runs `stop` and exits 0, a second exits at once. Before `stop` is known,
 * as during the start, the first exits 0 at once.
 */
export class ProcessSignals {
  private stop: ((signal: string) => Promise<void>) | undefined;
  private isStopping = false;

  constructor() {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void this.handle(signal));
  }

  onStop(stop: (signal: string) => Promise<void>): void {
    this.stop = stop;
  }

  private async handle(signal: string): Promise<void> {
    if (this.isStopping) process.exit(STATUS[signal] ?? 1);
    this.isStopping = true;
    if (this.stop === undefined) process.exit(0);
    try {
      await this.stop(signal);
    } finally {
      process.exit(0);
    }
  }
}
