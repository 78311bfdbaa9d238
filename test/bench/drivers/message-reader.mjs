const HEAD_END = Buffer.from('\r\n\r\n');
/** How a chunked body ends; an event cannot hold it. */
const LAST_CHUNK = '\r\n0\r\n\r\n';

/**
 * Cuts HTTP/1.1 messages out of the bytes of one connection, by framing alone: `content-length`, or chunks up to the last.
 * Nothing else is looked at, so that it costs next to nothing. A message of neither kind has no body.
 */
export class MessageReader {
  #pending;
  /** Bytes of a sized body to come; undefined in a chunked one. */
  #left = 0;
  #isInBody = false;
  #tail = '';

  /** @param on `{ head(text), body(bytes), end() }`: the bytes are lent for the call only; `head` has lower case */
  constructor(on) {
    this.on = on;
  }

  push(bytes) {
    let rest = this.#pending === undefined ? bytes : Buffer.concat([this.#pending, bytes]);
    this.#pending = undefined;
    while (rest !== undefined && rest.length > 0) rest = this.#isInBody ? this.#body(rest) : this.#head(rest);
  }

  /** The rest after the head; undefined when the head is not complete. */
  #head(bytes) {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) {
      this.#pending = Buffer.from(bytes);
      return undefined;
    }
    const head = bytes.latin1Slice(0, end).toLowerCase();
    const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
    const isChunked = length === undefined && head.includes('\r\ntransfer-encoding: chunked');
    this.#left = isChunked ? undefined : Number(length ?? 0);
    this.#tail = '\r\n';
    this.#isInBody = true;
    this.on.head(head);
    if (this.#left === 0) this.#finish();
    return bytes.subarray(end + HEAD_END.length);
  }

  /** The rest after the body. */
  #body(bytes) {
    if (this.#left === undefined) return this.#chunks(bytes);
    const own = bytes.length <= this.#left ? bytes : bytes.subarray(0, this.#left);
    this.#left -= own.length;
    this.on.body(own);
    if (this.#left === 0) this.#finish();
    return bytes.subarray(own.length);
  }

  /** A chunked message is the last of its read: nobody here pipelines. */
  #chunks(bytes) {
    const { length } = bytes;
    this.#tail =
      length >= LAST_CHUNK.length ? bytes.latin1Slice(length - LAST_CHUNK.length) : this.#tail + bytes.latin1Slice();
    this.#tail = this.#tail.slice(-LAST_CHUNK.length);
    this.on.body(bytes);
    if (this.#tail === LAST_CHUNK) this.#finish();
    return undefined;
  }

  #finish() {
    this.#isInBody = false;
    this.on.end();
  }
}

/** The payload of a chunked body. */
export function dechunked(body) {
  const parts = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.latin1Slice(at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
