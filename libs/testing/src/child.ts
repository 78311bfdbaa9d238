import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';

/** A Node process that runs a few lines of a module, for what ends or changes a process. */
export class Child {
  private readonly process: ChildProcess;
  private output = '';
  private waiting: (() => void)[] = [];
  /** Exit status, or the signal that ended it. */
  readonly exit: Promise<number | string>;

  /**
   * @param code an ES module; it may import sources by their file URL
   * @param flags of node
   */
  constructor(code: string, flags: readonly string[] = []) {
    const typescript = ['--conditions=source', '--experimental-transform-types', '--no-warnings'];
    const options = [...typescript, ...flags, '--input-type=module'];
    this.process = spawn(process.execPath, [...options, '--eval', code], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
        for (const resolve of this.waiting.splice(0)) resolve();
      });
    }
    this.exit = new Promise((resolve) => {
      this.process.once('close', (status, signal) => {
        resolve(status ?? signal ?? '');
        for (const wake of this.waiting.splice(0)) wake();
      });
    });
  }

  /** What it has printed. */
  get text(): string {
    return this.output;
  }

  /** Done when it has printed the text. @throws Error when it ends before that */
  async until(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      if (this.process.exitCode !== null) throw new Error(`ended before it printed ${text}: ${this.output}`);
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  send(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }
}
