import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** What goes from one end of a way to the other, and back. */
export type Carrier = (client: Socket, server: Socket) => void;

/** Where a relay listens. */
export interface RelayAddress {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** A way from an address to a port of 127.0.0.1, for every connection that comes. */
export class TcpRelay {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
    private readonly carry: Carrier,
  ) {
    server.on('connection', (socket) => {
      this.join(socket);
    });
  }

  /** @throws Error EADDRINUSE */
  static async open({ host, port }: RelayAddress, target: number, carry: Carrier): Promise<TcpRelay> {
    const relay = new TcpRelay(createServer(), target, carry);
    await once(relay.server.listen(port, host), 'listening');
    return relay;
  }

  get port(): number {
    // it listens on a port
    return (this.server.address() as AddressInfo).port;
  }

  /** Breaks what is open. */
  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(from: Socket): void {
    const to = connect(this.target, '127.0.0.1');
    for (const socket of [from, to]) this.keep(socket);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
    this.carry(from, to);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // the other end may go at any time
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
