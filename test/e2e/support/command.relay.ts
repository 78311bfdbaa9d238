import type { Socket } from 'node:net';
import { TcpRelay } from './tcp.relay.ts';

type Kind = 'commands' | 'replies';

/** The way of one client to a server, on which either can be kept back: commands that the server does not get, replies that the client does not. */
export class CommandRelay {
  private readonly withheld: Buffer[] = [];
  private held: { readonly what: Kind; readonly from: string } | undefined;
  private relay: TcpRelay | undefined;

  private constructor() {}

  /** @param target port of loopback that it leads to */
  static async open(target: number): Promise<CommandRelay> {
    const commands = new CommandRelay();
    commands.relay = await TcpRelay.open({ host: '127.0.0.1', port: 0 }, target, (client, server) => {
      commands.carry(client, server);
    });
    return commands;
  }

  get port(): number {
    return this.relay?.port ?? 0;
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
    await this.relay?.close();
  }

  private carry(client: Socket, server: Socket): void {
    client.on('data', (bytes: Buffer) => {
      this.pass('commands', bytes, server);
    });
    server.on('data', (bytes: Buffer) => {
      this.pass('replies', bytes, client);
    });
  }

  private pass(what: Kind, bytes: Buffer, to: Socket): void {
    const { held } = this;
    if (held?.what === what && (this.withheld.length > 0 || bytes.includes(held.from))) this.withheld.push(bytes);
    else to.write(bytes);
  }
}
