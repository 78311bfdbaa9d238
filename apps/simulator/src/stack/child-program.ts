import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../control/json-value.ts';

const READY_WITHIN_MS = 30_000;
const ANSWER_WITHIN_MS = 1000;
const STOP_WITHIN_MS = 30_000;

/** A program to start, with files of its own. */
export interface ProgramSpec {
  /** As messages call it: `the coordinator`. */
  readonly name: string;
  readonly command: string;
  /** By name, to be written into a folder that the program may fill. They are YAML, since JSON is. */
  readonly files: (folder: string) => Readonly<Record<string, JsonObject>>;
  readonly args: (folder: string) => readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Another program that runs for the stack. It and its folder go when this process goes, however that ends. */
export class ChildProgram {
  /** Resolves when the program has ended and said its last, with its code, or null after a signal. */
  readonly ended: Promise<number | null>;
  private readonly name: string;
  private readonly child: ChildProcess;
  private readonly folder = mkdtempSync(join(tmpdir(), 'up-'));
  private readonly killed = (): void => {
    this.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  };

  /** @param print gets each line that the program writes */
  constructor({ name, command, files, args, env }: ProgramSpec, print: (line: string) => void) {
    this.name = name;
    for (const [file, content] of Object.entries(files(this.folder))) {
      writeFileSync(join(this.folder, file), JSON.stringify(content, undefined, 2));
    }
    // A group of its own, so that Ctrl-C reaches it once, through `stop`, and not from the terminal too.
    this.child = spawn(command, args(this.folder), { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    this.child.once('error', (error) => print(error.message));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface(stream).on('line', print);
    }
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    process.once('exit', this.killed);
  }

  /** Waits until the address answers with 200. @throws Error when the program ends first, or takes longer than 30 s */
  answers(url: string): Promise<void> {
    return this.until(async () => {
      const answer = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(() => undefined);
      return answer?.status === 200;
    });
  }

  /** Asks until it is so. @throws Error when the program ends first, or takes longer than 30 s */
  async until(isSo: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    for (;;) {
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null)
        throw new Error(`${this.name} ended with ${signalCode ?? `code ${exitCode}`} while starting`);
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready within ${READY_WITHIN_MS / 1000} s`);
      if (await isSo()) return;
      await sleep(50);
    }
  }

  /** SIGTERM, and SIGKILL to a program that does not heed it. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_WITHIN_MS);
    await this.ended;
    clearTimeout(timer);
    process.off('exit', this.killed);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
