import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '#config';

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 30_000;

/** How a process ended; one of the two is null, as Node has it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program as a process of its own, in an environment without overrides; it does not outlive the tests. */
export class ProgramProcess {
  /** Settles when the process is gone and has said its last. */
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;
  private said = '';
  private readonly kill = (): void => void this.child.kill('SIGKILL');

  /** @param name what messages call it; @param command argv */
  constructor(
    private readonly name: string,
    [file = '', ...args]: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ) {
    this.child = spawn(file, args, { env: { ...ownEnvironment(), ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
      });
    }
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        resolve({ code, signal });
      });
    });
    process.once('exit', this.kill);
    void this.ended.then(() => process.off('exit', this.kill));
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error(`${this.name} could not be started`);
    return this.child.pid;
  }

  /** Both outputs so far, in the order in which they came. */
  get output(): string {
    return this.said;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Asks until it is so. @throws Error with the output, when the process ends first or takes longer than 30 s */
  async until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let ending: Ending | undefined;
    void this.ended.then((how) => (ending = how));
    for (;;) {
      if (ending !== undefined) throw new Error(`${this.name} ended with code ${ending.code}:\n${this.said}`);
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready in time:\n${this.said}`);
      if (await isSo()) return;
      await sleep(20);
    }
  }

  /** SIGTERM. @throws Error with the output, when it does not exit with 0 within 30 s */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timer = setTimeout(this.kill, STOP_WITHIN_MS);
    const { code, signal } = await this.ended;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${this.name} ended with ${code ?? signal}, not with 0:\n${this.said}`);
  }
}

/** What the machine's environment sets for another deployment must not reach the one under test. */
function ownEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(environment()).filter(([name]) => !/^(COORDINATOR|ASYNC_WORKER|OTEL)_/.test(name)),
  );
}
