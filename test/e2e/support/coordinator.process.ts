import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { environment } from '#config';
import { childrenOf, isListening } from './process-tree.ts';

/** What `npm run build` leaves. */
const MAIN = fileURLToPath(new URL('../../../dist/apps/coordinator/main.js', import.meta.url));
const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 30_000;

/** How a process ended; one of the two is null, as Node has it. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The built coordinator as a process of its own, in an environment without overrides. */
export class CoordinatorProcess {
  /** Settles when the process is gone and has said its last. */
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;
  private said = '';
  private readonly kill = (): void => void this.child.kill('SIGKILL');

  /** @throws Error when there is no build */
  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    if (!existsSync(MAIN)) throw new Error(`${MAIN} is not there: run "npm run build" before the e2e tests`);
    this.child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
    if (this.child.pid === undefined) throw new Error('the coordinator could not be started');
    return this.child.pid;
  }

  /** Both outputs so far, in the order in which they came. */
  get output(): string {
    return this.said;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for `/readyz` to be 200. @throws Error with the output, when it ends first or takes longer than 30 s */
  async ready(url: string): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    let ending: Ending | undefined;
    void this.ended.then((how) => (ending = how));
    for (;;) {
      if (ending !== undefined) throw new Error(`the coordinator ended with code ${ending.code}:\n${this.said}`);
      if (Date.now() > deadline) throw new Error(`the coordinator was not ready in time:\n${this.said}`);
      if ((await statusOf(`${url}/readyz`)) === 200 && this.isOn(url)) return;
      await sleep(20);
    }
  }

  /** SIGTERM. @throws Error with the output, when it does not exit with 0 within 30 s */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    const timer = setTimeout(this.kill, STOP_WITHIN_MS);
    const { code, signal } = await this.ended;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`the coordinator ended with ${code ?? signal}, not with 0:\n${this.said}`);
  }

  /** Another program may have been faster on the port. */
  private isOn(url: string): boolean {
    return isListening(Number(new URL(url).port), [this.pid, ...childrenOf(this.pid)]);
  }
}

/** The status of a GET, whatever the certificate; undefined without an answer. */
export function statusOf(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const signal = AbortSignal.timeout(1000);
    get(url, { agent: false, signal, rejectUnauthorized: false }, (response) => {
      resolve(response.resume().statusCode);
    }).once('error', () => {
      resolve(undefined);
    });
  });
}

/** What the machine's environment sets for another deployment must not reach the one under test. */
function ownEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment()).filter(([name]) => !/^(COORDINATOR|OTEL)_/.test(name)));
}
