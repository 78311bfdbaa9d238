import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

type Kind = 'commands' | 'replies';

/** The way of one client to a server, on which either can be kept back: commands that the server does not get, replies that the client does not. */
export class CommandRelay {
  private readonly sockets = new Set<Socket>();
  private readonly withheld: Buffer[] = [];
  private held: { readonly what: Kind; readonly from: string } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (socket) => {
      this.carry(socket);
    });
  }

  /** @param target port of loopback that it leads to */
  static async open(target: number): Promise<CommandRelay> {
    const relay = new CommandRelay(createServer(), target);
    await once(relay.server.listen(0, '127.0.0.1'), 'listening');
    return relay;
  }

  get port(): number {
    // it listens on a port
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing of that kind comes through any more. @param from the first that is kept back has this text; empty: any */
  hold(what: Kind, from = ''): void {
    this.held = { what, from };
  }

  /** What was kept back. */
  get kept(): string {
    return Buffer.concat(this.withheld).toString('latin1');
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private carry(from: Socket): void {
    const to = connect(this.target, '127.0.0.1');
    for (const socket of [from, to]) this.keep(socket);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
    from.on('data', (bytes: Buffer) => {
      this.pass('commands', bytes, to);
    });
    to.on('data', (bytes: Buffer) => {
      this.pass('replies', bytes, from);
    });
  }

  private pass(what: Kind, bytes: Buffer, to: Socket): void {
    const { held } = this;
    if (held?.what === what && (this.withheld.length > 0 || bytes.includes(held.from))) this.withheld.push(bytes);
    else to.write(bytes);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // the other end may go at any time
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
