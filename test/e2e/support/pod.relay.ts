import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';

/** The network of a pod: what comes to its address goes to a port of 127.0.0.1. */
export class PodRelay {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (socket) => {
      this.carry(socket);
    });
  }

  /** @throws Error EADDRINUSE */
  static async open(address: string, port: number, target: number): Promise<PodRelay> {
    const relay = new PodRelay(createServer(), target);
    await once(relay.server.listen(port, address), 'listening');
    return relay;
  }

  /** Breaks what is open. */
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
    from.pipe(to).pipe(from);
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // the other end may go at any time
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
