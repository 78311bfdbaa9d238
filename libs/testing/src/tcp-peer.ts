import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** One end of a TCP connection, driven byte by byte: for what an HTTP library would put right. */
export class TcpPeer {
  private received = '';
  private waiting: (() => void)[] = [];
  /** Settles when the connection is gone, whichever way. */
  readonly closed: Promise<void>;
  private isClosed = false;

  constructor(readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      this.received += chunk.toString('latin1');
      this.wake();
    });
    // a broken connection is what many tests are about
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.once('close', () => {
        this.isClosed = true;
        this.wake();
        resolve();
      });
    });
  }

  /**
   * @param url of which host and port matter
   * @param allowHalfOpen whether it stays when the other side has ended
   */
  static async to(url: string, allowHalfOpen = false): Promise<TcpPeer> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new TcpPeer(socket);
  }

  /** What has come in, one character for each byte. */
  get text(): string {
    return this.received;
  }

  send(bytes: string | Buffer): this {
    this.socket.write(bytes);
    return this;
  }

  /** Everything received once `part` is in it, `times` times. @throws Error when the connection closes before that */
  async until(part: string, times = 1): Promise<string> {
    let from = 0;
    for (let left = times; left > 0;) {
      const found = this.received.indexOf(part, from);
      if (found >= 0) {
        from = found + part.length;
        left--;
      } else {
        if (this.isClosed) throw new Error(`closed before ${JSON.stringify(part)}: ${JSON.stringify(this.received)}`);
        from = Math.max(from, this.received.length - part.length + 1);
        await new Promise<void>((resolve) => this.waiting.push(resolve));
      }
    }
    return this.received;
  }

  /** Everything that came until the connection was gone. */
  async rest(): Promise<string> {
    await this.closed;
    return this.received;
  }

  /** Nothing more is sent; what comes is still read. */
  end(): void {
    this.socket.end();
  }

  /** Breaks the connection with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
