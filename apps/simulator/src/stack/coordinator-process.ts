import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '#config';
import type { JsonObject } from '../control/json-value.ts';

const READY_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 1000;
const STOP_WITHIN_MS = 30_000;

/** The built coordinator as a process of its own. */
export class CoordinatorProcess {
  /** Resolves when the process has ended and said its last, with its code, or null after a signal. */
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly folder = mkdtempSync(join(tmpdir(), 'coordinator-'));
  private readonly killed = (): void => {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  };

  /** @param print gets each line that the process writes */
  constructor(main: string, config: JsonObject, print: (line: string) => void) {
    const file = join(this.folder, 'coordinator.yaml');
    writeFileSync(file, JSON.stringify(config, undefined, 2)); // JSON is YAML
    // A group of its own, so that Ctrl-C reaches it once, through `stop`, and not from the terminal too.
    this.child = spawn(process.execPath, [main, '--config', file], {
      env: withoutOverrides(environment()),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', print);
    }
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    process.once('exit', this.killed);
  }

  /** @throws Error when it ends first, or takes longer than 30 s */
  async ready(url: string): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      if (this.child.exitCode !== null)
        throw new Error(`the coordinator ended with code ${this.child.exitCode} while starting`);
      if (Date.now() > deadline) throw new Error(`the coordinator was not ready within ${READY_WITHIN_MS / 1000} s`);
      const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(
        () => undefined,
      );
      if (answer?.status === 200) return;
      await sleep(50);
    }
  }

  /** SIGTERM, and SIGKILL to a process that does not heed it. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
    process.off('exit', this.killed);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What the environment says of addresses and steps is meant for another deployment; the rest, a log level say, may stay. */
function withoutOverrides(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const other = /^COORDINATOR_(SERVER_(LISTEN_ADDR|METRICS_PORT|SECURE_SERVING)|GATEWAY_ADDRESS|PIPELINE_.*)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !other.test(name)));
}
