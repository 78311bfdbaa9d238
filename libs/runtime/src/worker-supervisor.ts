import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { environment } from '#config';

/** Set in the environment of a worker: its number, from 1. */
const WORKER = 'INFERENCE_COORDINATOR_WORKER';
/** What a worker says when it serves, and where its own listener of metrics is. */
interface Ready {
  readonly ready: true;
  readonly url: string | undefined;
}
/** Milliseconds before a worker that died is started again: doubled each time it dies, from the first to the last. */
const FIRST_PAUSE = 100;
const LAST_PAUSE = 10_000;

/** The number of this worker, from 1; undefined in a process that is no worker. */
export function workerNumber(): number | undefined {
  const value = environment()[WORKER];
  return value === undefined ? undefined : Number(value);
}

/** Tells the supervisor that this worker serves, and has `stop` run when the supervisor is gone. @param url of its metrics */
export function reportReady(url: string | undefined, stop: () => void): void {
  process.send?.({ ready: true, url } satisfies Ready);
  process.once('disconnect', stop);
}

/**
 * Runs the program several times on one port; the kernel spreads connections over them. A worker that dies is started again; one
 * that cannot start at all ends the whole.
 * @see decisions.md O6
 */
export class WorkerSupervisor {
  private readonly logger = new Logger('supervisor');
  /** With where their metrics are, once they serve. */
  private readonly workers = new Map<ChildProcess, string | undefined>();
  private isStopping = false;
  private readonly allReady = Promise.withResolvers<undefined>();
  private readyCount = 0;

  /** @param entry the program's file; @param argv its arguments */
  constructor(
    private readonly count: number,
    private readonly entry: string,
    private readonly argv: readonly string[],
  ) {}

  /** Where the metrics of each worker that serves are. */
  get urls(): readonly string[] {
    return [...this.workers.values()].filter((url) => url !== undefined);
  }

  /** Done when every worker serves. @throws Error when one ended before it did */
  async start(): Promise<void> {
    for (let number = 1; number <= this.count; number++) this.spawn(number, FIRST_PAUSE);
    await this.allReady.promise;
  }

  /** Tells all workers to end and waits for it. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const ends = [...this.workers.keys()].map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const worker of this.workers.keys()) worker.kill('SIGTERM');
    await Promise.all(ends);
  }

  /** Ends all workers at once. */
  kill(): void {
    this.isStopping = true;
    for (const worker of this.workers.keys()) worker.kill('SIGKILL');
  }

  private spawn(number: number, pause: number): void {
    const worker = fork(this.entry, [...this.argv], { env: { ...environment(), [WORKER]: String(number) } });
    let wasReady = false;
    this.workers.set(worker, undefined);
    worker.on('message', (message) => {
      if (!isReady(message) || wasReady) return;
      wasReady = true;
      this.workers.set(worker, message.url);
      this.readyCount++;
      if (this.readyCount === this.count) this.allReady.resolve(undefined);
    });
    worker.once('exit', (code, signal) => {
      this.workers.delete(worker);
      if (this.isStopping) return;
      if (!wasReady && this.readyCount < this.count) {
        this.kill();
        this.allReady.reject(new Error(`worker ${number} could not start`));
        return;
      }
      this.logger.error({ worker: number, code, signal }, 'a worker died and is started again');
      void this.respawn(number, wasReady ? FIRST_PAUSE : pause);
    });
  }

  private async respawn(number: number, pause: number): Promise<void> {
    await delay(pause);
    if (!this.isStopping) this.spawn(number, Math.min(pause * 2, LAST_PAUSE));
  }
}

function isReady(message: unknown): message is Ready {
  return typeof message === 'object' && message !== null && 'ready' in message;
}
