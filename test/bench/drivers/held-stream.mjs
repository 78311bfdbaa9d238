import { connect } from 'node:net';

/** Milliseconds between two reads of a slow client, and what it then takes at most. */
const PAUSE = 100;

/**
 * A stream that a client keeps open. `reads` takes what comes, `slowly` takes one read each 100 ms, `never` takes nothing
 * after the head of the answer, `leaves` destroys the connection at the first event.
 */
export class HeldStream {
  #socket;
  #begun = Promise.withResolvers();
  bytes = 0;

  constructor({ port, bytes, manner }) {
    this.manner = manner;
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.once('error', (error) => this.#begun.reject(error));
    this.#socket.once('close', () => this.#begun.reject(new Error('the stream was cut before its first event')));
    this.#socket.write(bytes);
  }

  /** Settles when the first event is there. */
  get begun() {
    return this.#begun.promise;
  }

  get isOpen() {
    return !this.#socket.destroyed;
  }

  close() {
    this.#socket.destroy();
  }

  #read(chunk) {
    this.bytes += chunk.length;
    if (!chunk.includes('data: ')) return;
    this.#begun.resolve();
    if (this.manner === 'leaves') this.#socket.destroy();
    if (this.manner === 'never') this.#socket.pause();
    if (this.manner === 'slowly') {
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), PAUSE);
    }
  }
}
