import { connect } from 'node:net';
import { MessageReader } from './message-reader.mjs';

/** One for all connections: what is read is looked at and forgotten before the next read. */
const buffer = Buffer.alloc(256 * 1024);

/** A kept-alive connection that sends one prebuilt request after another and waits for the whole of each answer. */
export class LoadConnection {
  #socket;
  #answer;
  #isBusy = false;
  #onIdle = () => undefined;

  /** @param plan `{ port, bytes, payloadLength }` @param tally where outcomes are gathered */
  constructor(plan, tally) {
    this.plan = plan;
    this.tally = tally;
    this.isRunning = false;
  }

  open() {
    return new Promise((resolve, reject) => {
      const reader = new MessageReader({ head: this.#head, body: this.#body, end: this.#end });
      const onread = { buffer, callback: (count) => this.#read(reader, buffer.subarray(0, count)) };
      this.#socket = connect({ port: this.plan.port, host: '127.0.0.1', noDelay: true, onread });
      this.#socket.once('connect', resolve).once('error', reject).once('close', this.#close);
      this.#socket.on('error', () => undefined).resume();
    });
  }

  /** Sends requests until told to stop. @returns when the last answer is complete */
  run() {
    this.isRunning = true;
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#send();
    });
  }

  close() {
    this.isRunning = false;
    this.#isBusy = false;
    this.#socket?.destroy();
  }

  #send() {
    this.#isBusy = true;
    this.#answer = { start: performance.now(), first: 0, status: '', body: 0 };
    this.#socket.write(this.plan.bytes);
  }

  #read(reader, bytes) {
    this.tally.reads++;
    this.tally.bytes += bytes.length;
    reader.push(bytes);
    return true;
  }

  #head = (head) => {
    this.#answer.status = head.slice(9, 12);
  };

  #body = (bytes) => {
    const answer = this.#answer;
    if (answer.body === 0) answer.first = performance.now() - answer.start;
    answer.body += bytes.length;
    this.tally.onBody?.(bytes);
  };

  #end = () => {
    const { start, first, status, body } = this.#answer;
    if (status !== '200') this.tally.fail(`status ${status}`);
    else if (body < this.plan.payloadLength) this.tally.fail('short');
    else this.tally.complete(performance.now() - start, first);
    this.#isBusy = false;
    if (this.isRunning) this.#send();
    else this.#onIdle();
  };

  #close = async () => {
    if (this.#isBusy) this.tally.fail('cut');
    this.#isBusy = false;
    if (!this.isRunning) return this.#onIdle();
    try {
      await this.open();
      this.#send();
    } catch {
      this.tally.fail('refused');
      this.isRunning = false;
      this.#onIdle();
    }
  };
}

/** Outcomes of a slice. Times in milliseconds. */
export class Tally {
  completed = 0;
  failures = {};
  reads = 0;
  bytes = 0;
  #whole = [];
  #first = [];

  complete(whole, first) {
    this.completed++;
    this.#whole.push(whole);
    this.#first.push(first);
  }

  fail(reason) {
    this.failures[reason] = (this.failures[reason] ?? 0) + 1;
  }

  summary() {
    const { completed, failures, reads, bytes } = this;
    return { completed, failures, reads, bytes, whole: percentiles(this.#whole), first: percentiles(this.#first) };
  }
}

function percentiles(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}
