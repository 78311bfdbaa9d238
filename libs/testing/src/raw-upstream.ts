import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { TcpPeer } from './tcp-peer.ts';

/** Serves one connection; `nth` counts from 0. */
export type ConnectionScript = (peer: TcpPeer, nth: number) => void | Promise<void>;

/** A TCP server on loopback whose every byte the test writes. */
export class RawUpstream {
  readonly peers: TcpPeer[] = [];
  readonly url: string;

  private constructor(private readonly server: Server) {
    // a server that listens on a port has an address of this kind
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(script: ConnectionScript): Promise<RawUpstream> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upstream = new RawUpstream(server);
    server.on('connection', (socket) => {
      const peer = new TcpPeer(socket);
      const nth = upstream.peers.push(peer) - 1;
      // a script that waits for more than it gets leaves the client with a broken connection
      run(script, peer, nth).catch(() => socket.destroy());
    });
    return upstream;
  }

  /** New connections are refused; done when those that there are have closed. */
  async stopAccepting(): Promise<void> {
    await new Promise((resolve) => this.server.close(resolve));
  }

  async close(): Promise<void> {
    for (const { socket } of this.peers) socket.destroy();
    await this.stopAccepting();
  }
}

async function run(script: ConnectionScript, peer: TcpPeer, nth: number): Promise<void> {
  await script(peer, nth);
}
