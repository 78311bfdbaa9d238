import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { caller } from '../drivers/rpc.mjs';
import { pinned } from './cores.mjs';
import { cpuSeconds } from './proc.mjs';

/** A process of the harness: what plays the upstreams, the clients, the collector. */
export class Helper {
  #child;

  /** @param file in `drivers/`; @param cores what it may run on */
  constructor(file, cores) {
    const path = fileURLToPath(new URL(`../drivers/${file}`, import.meta.url));
    const [command, ...args] = pinned(cores, [process.execPath, '--max-old-space-size=8192', path]);
    this.#child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.call = caller(this.#child, file);
    process.once('exit', () => this.#child.kill('SIGKILL'));
  }

  cpuSeconds() {
    return cpuSeconds([this.#child.pid]);
  }

  /** It ends by itself when nobody is there to be served. */
  stop() {
    if (this.#child.connected) this.#child.disconnect();
  }
}
