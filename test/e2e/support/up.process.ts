import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFree } from './free-port.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Of the files in config/local, of up to three endpoint pickers, two sidecars, and Redis's, Envoy's and Prometheus's. */
export const UP_PORTS = [
  ...[6379, 8000, 8010, 8080, 8081, 8101, 8201, 8202, 8203, 8204, 8205, 8206, 8301, 8401, 8402, 8998],
  ...[9002, 9003, 9004, 9090, 9091, 9092, 9093, 9094, 9095, 9101, 9102, 9901],
];

/** `node apps/simulator/up.mjs`, as `npm run` starts it, on the Node that came with the packages where it did. */
export class UpProcess {
  /** Settles with the exit code when the process has said its last. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly waiting = new Set<() => void>();
  private said = '';

  /** @throws Error when packages would be installed */
  constructor(...args: readonly string[]) {
    requireInstalled();
    const pinned = join(ROOT, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
    this.child = spawn(existsSync(pinned) ? pinned : process.execPath, ['apps/simulator/up.mjs', ...args], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
        for (const look of this.waiting) look();
      });
    }
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        resolve(code);
        for (const look of this.waiting) look();
      });
    });
  }

  /** Both outputs so far, in the order in which they came. */
  get output(): string {
    return this.said;
  }

  /** Waits until it has said so. @throws Error with the output, when it ends without */
  async says(text: string): Promise<void> {
    while (!this.said.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`it ended without saying "${text}":\n${this.said}`);
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.waiting.delete(look);
          resolve();
        };
        this.waiting.add(look);
      });
    }
  }

  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null> {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

/** What to add to every port so that all are free, and below those that systems give away (see `free-port.ts`). */
export async function freeOffset(): Promise<number> {
  for (;;) {
    const candidate = 2000 + Math.floor(Math.random() * 20_000);
    const free = await Promise.all(UP_PORTS.map((port) => isFree(port + candidate)));
    if (free.every(Boolean)) return candidate;
  }
}

/** `up.mjs` installs packages that are older than the lock file; a test must not. */
function requireInstalled(): void {
  const modified = (name: string): number => statSync(join(ROOT, name)).mtimeMs;
  if (modified('package-lock.json') > modified('node_modules/.package-lock.json')) {
    throw new Error('the packages are older than package-lock.json: run "npm ci" before the e2e tests');
  }
}
