import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/** A network between a client and the API server, that can fail. */
export class KubernetesRelay {
  private readonly sockets = new Set<Socket>();
  /** Connections that were made while it was cut. */
  private waiting: Socket[] = [];
  private isCut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (socket) => {
      this.keep(socket);
      if (this.isCut) this.waiting.push(socket);
      else this.carry(socket);
    });
  }

  /** @param target port of loopback that it leads to */
  static async open(target: number): Promise<KubernetesRelay> {
    const relay = new KubernetesRelay(createServer(), target);
    await once(relay.server.listen(0, '127.0.0.1'), 'listening');
    return relay;
  }

  get url(): string {
    // it listens on a port
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Breaks all connections; new ones are made, and nothing comes. */
  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Carries what it is given, and what waits. */
  mend(): void {
    this.isCut = false;
    for (const socket of this.waiting.splice(0)) this.carry(socket);
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private carry(from: Socket): void {
    const to = connect(this.target, '127.0.0.1');
    this.keep(to);
    from.on('close', () => to.destroy());
    to.on('close', () => from.destroy());
    from.pipe(to).pipe(from);
    if (from.destroyed) to.destroy();
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    // the other end may go at any time
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
  }
}
