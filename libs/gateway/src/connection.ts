import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { buildConnector } from 'undici';

/** How connections of one origin are made and kept. */
export interface ConnectionOptions {
  readonly connector: buildConnector.connector;
  /** Milliseconds after which an idle connection is closed. */
  readonly idleTimeout: number;
}

/**
 * One connection to an origin, for one call at a time. It knows whether it was used before and what it has received, which
 * is what decides whether a broken call may be repeated (`decisions.md` P6).
 */
export class Connection {
  readonly client: Client;
  private socket: Socket | undefined;
  /** Calls begun on the socket at hand. */
  private calls = 0;
  private receivedBefore = 0;

  constructor(origin: string, options: ConnectionOptions, onDisconnect: (connection: Connection) => void) {
    this.client = new Client(origin, {
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: options.idleTimeout,
      keepAliveMaxTimeout: options.idleTimeout,
      connect: (target, callback) => {
        options.connector(target, (...outcome) => {
          if (outcome[1] !== null) this.connected(outcome[1]);
          callback(...outcome);
        });
      },
    });
    this.client.on('disconnect', () => {
      onDisconnect(this);
    });
  }

  /** Marks the beginning of a call. */
  begin(): void {
    this.calls++;
    this.receivedBefore = this.socket?.bytesRead ?? 0;
  }

  /** Whether a connection was there, or could be made. */
  get isConnected(): boolean {
    return this.socket !== undefined;
  }

  /** Whether an earlier call was answered on the socket of the call in progress. */
  get isReused(): boolean {
    return this.calls > 1;
  }

  /** Whether any byte came in for the call in progress. */
  get hasReceived(): boolean {
    return this.socket !== undefined && this.socket.bytesRead > this.receivedBefore;
  }

  /** Closes the connection at once, and with it the call in progress. */
  destroy(reason?: Error): void {
    this.client.destroy(reason ?? null).catch(() => undefined);
  }

  private connected(socket: Socket): void {
    this.socket = socket;
    this.calls = 1;
    this.receivedBefore = 0;
  }
}
