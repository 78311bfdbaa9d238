/** Exit status of a process that a second signal ended, as shells have it. */
const STATUS: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/**
 * Ends the process on SIGTERM or SIGINT: the first runs `stop` and exits 0, a second exits at once. Before `stop` is known,
 * as during the start, the first exits 0 at once.
 */
export class ProcessSignals {
  private stop: ((signal: NodeJS.Signals) => Promise<void>) | undefined;
  private kill: () => void = () => undefined;
  private isStopping = false;

  /** @param isWorker a terminal sends Ctrl-C to workers too, but their supervisor tells them when to end */
  constructor(isWorker = false) {
    takeOver('SIGTERM', () => void this.handle('SIGTERM'));
    takeOver('SIGINT', () => void (isWorker ? undefined : this.handle('SIGINT')));
  }

  /** @param kill ends at once what this process has started, before a second signal ends the process itself */
  onStop(stop: (signal: NodeJS.Signals) => Promise<void>, kill: () => void = () => undefined): void {
    this.stop = stop;
    this.kill = kill;
  }

  private async handle(signal: NodeJS.Signals): Promise<void> {
    if (this.isStopping) {
      this.kill();
      process.exit(STATUS[signal] ?? 1);
    }
    this.isStopping = true;
    if (this.stop === undefined) process.exit(0);
    try {
      await this.stop(signal);
    } finally {
      process.exit(0);
    }
  }
}

/** In place of whoever listened while the program was loaded; without a listener in between, a signal that waits to be told would be lost. */
function takeOver(signal: 'SIGTERM' | 'SIGINT', listener: () => void): void {
  const earlier = process.listeners(signal);
  process.on(signal, listener);
  for (const one of earlier) process.off(signal, one);
}
