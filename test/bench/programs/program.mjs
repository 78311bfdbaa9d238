import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { GAUGE_MARK } from './gauge-mark.mjs';
import { cpuSeconds, memory, processTree } from './proc.mjs';

const READY_WITHIN = 60_000;
const STOP_WITHIN = 10_000;
const GAUGE_WITHIN = 10_000;
/** Sockets of 5,000 streams, on both sides, and some. */
const OPEN_FILES = 20_000;

/** A program under test, or what drives it: started, watched, stopped. */
export class Program {
  #child;
  #said = '';
  #gauge = Promise.withResolvers();
  #ended;

  /** @param command argv; @param settings `{ name, env, port, hasGauge, readiness }`, the last a path where it is another than usual */
  constructor(command, { name, env = {}, port, hasGauge = false, readiness }) {
    Object.assign(this, { name, port, hasGauge, readiness });
    // a limit that cannot be raised is left as it is
    const script = `ulimit -n ${OPEN_FILES} 2>/dev/null; exec ${command.map(quoted).join(' ')}`;
    this.#child = spawn('bash', ['-c', script], {
      env: { ...ownEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => this.#hear(text));
    }
    this.#ended = new Promise((resolve) => this.#child.once('close', (code, signal) => resolve(signal ?? code)));
    const kill = () => this.#child.kill('SIGKILL');
    process.once('exit', kill);
    void this.#ended.then(() => process.off('exit', kill));
  }

  /** Waits for readiness, or liveness where a program knows none. @throws Error with what it said, when it does not come */
  async ready() {
    const deadline = Date.now() + READY_WITHIN;
    let ending;
    void this.#ended.then((how) => (ending = how));
    while (!(await this.#isReady())) {
      if (ending !== undefined) throw new Error(`${this.name} ended with ${ending}:\n${this.#said.slice(-2_000)}`);
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready in time:\n${this.#said.slice(-2_000)}`);
      await sleep(50);
    }
    this.pids = processTree(this.#child.pid);
  }

  cpuSeconds() {
    return cpuSeconds(this.pids);
  }

  memory() {
    return memory(this.pids);
  }

  /** What its gauge has seen since it was last asked; undefined for a program without. It collects garbage, too. */
  async gauge() {
    if (!this.hasGauge) return undefined;
    this.#gauge = Promise.withResolvers();
    process.kill(this.pids[0], 'SIGUSR2');
    const timer = setTimeout(() => this.#gauge.reject(new Error(`the gauge of ${this.name} is silent`)), GAUGE_WITHIN);
    const seen = await this.#gauge.promise;
    clearTimeout(timer);
    return seen;
  }

  async stop() {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_WITHIN);
    await this.#ended;
    clearTimeout(timer);
  }

  async #isReady() {
    if (this.readiness !== undefined) return this.#answers(this.readiness);
    return (await this.#answers('/readyz')) || this.#answers('/healthz', '/readyz');
  }

  async #answers(path, unlessThereIs) {
    if (unlessThereIs !== undefined && (await this.#status(unlessThereIs)) !== 404) return false;
    return (await this.#status(path)) === 200;
  }

  async #status(path) {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, { signal: AbortSignal.timeout(1_000) }).catch(
      () => undefined,
    );
    await answer?.bytes();
    return answer?.status;
  }

  #hear(text) {
    this.#said = (this.#said + text).slice(-100_000);
    const start = this.#said.lastIndexOf(GAUGE_MARK);
    const end = this.#said.indexOf('\n', start);
    if (start === -1 || end === -1) return;
    const line = this.#said.slice(start + GAUGE_MARK.length, end);
    this.#said = this.#said.slice(end);
    this.#gauge.resolve(JSON.parse(line));
  }
}

function quoted(word) {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** What the machine's environment sets for another deployment must not reach the one under test. */
function ownEnvironment() {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(COORDINATOR|OTEL|NODE_OPTIONS|BENCH)/.test(name)),
  );
}
