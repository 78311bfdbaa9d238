import type { ServerResponse } from 'node:http';

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from('\r\n');
/** Parts up to this size are copied into their frame: one write of a few pages costs less than three small ones. */
const COPIED = 16 * 1024;
const HEX = Buffer.from('0123456789abcdef');

/**
 * Writes the body of an answer part by part. A chunked body goes to the socket in frames of its own (RFC 9112 section 7.1):
 * `ServerResponse.write` makes three writes of each part and joins them a turn of the queue later, which is a good part of what an
 * event costs. Head and end are the response's. Everything else is the response's, too: a length that was announced, a body that
 * a client of HTTP/1.0 gets, a reply that waits behind an earlier one on its connection.
 */
export class BodyWriter {
  private isHeadOut = false;

  constructor(private readonly response: ServerResponse) {}

  /** Whether what was written last waits for the client. */
  get needsDrain(): boolean {
    return this.response.writableNeedDrain || this.response.socket?.writableNeedDrain === true;
  }

  /** Sends the head, if nothing has yet. */
  flushHead(): void {
    if (this.isHeadOut || this.response.destroyed) return;
    this.isHeadOut = true;
    this.response.flushHeaders();
  }

  /** @returns false when the client has to take some of it first; `onDrain` tells when it has */
  write(part: Buffer): boolean {
    const { response } = this;
    const { socket } = response;
    if (part.length === 0) return !this.needsDrain;
    if (socket === null || !response.chunkedEncoding) {
      this.isHeadOut = true;
      return response.write(part);
    }
    if (this.isHeadOut && part.length <= COPIED) return socket.write(framed(part));
    socket.cork();
    this.flushHead();
    socket.write(sizeLine(part.length));
    socket.write(part);
    const isTaken = socket.write(CRLF);
    socket.uncork();
    return isTaken;
  }

  /** Calls back once, when the client has taken what was written. */
  onDrain(then: () => void): void {
    const { response } = this;
    const source = response.writableNeedDrain ? response : (response.socket ?? response);
    source.once('drain', then);
  }
}

/** The part as one chunk. */
function framed(part: Buffer): Buffer {
  const digits = digitsOf(part.length);
  const frame = Buffer.allocUnsafe(digits + part.length + 4);
  const start = writeSize(frame, part.length, digits);
  frame.set(part, start);
  frame[start + part.length] = CR;
  frame[start + part.length + 1] = LF;
  return frame;
}

function sizeLine(length: number): Buffer {
  const digits = digitsOf(length);
  const line = Buffer.allocUnsafe(digits + 2);
  writeSize(line, length, digits);
  return line;
}

/** Writes the size and its line end. @returns the position behind them */
function writeSize(into: Buffer, length: number, digits: number): number {
  for (let at = digits - 1, left = length; at >= 0; at--, left >>>= 4) into[at] = HEX[left & 15] ?? 0;
  into[digits] = CR;
  into[digits + 1] = LF;
  return digits + 2;
}

/** Hexadecimal digits of a length above 0. */
function digitsOf(length: number): number {
  return (35 - Math.clz32(length)) >> 2;
}
