import { readFileSync } from 'node:fs';
import { buildConnector } from 'undici';
import { Connection } from './connection.ts';
import type { ConnectionOptions } from './connection.ts';

/** Limits of the connections to every origin. */
export interface PoolOptions {
  /** Idle connections kept for each origin; those in use are not limited. */
  readonly maxIdle: number;
  /** Milliseconds. */
  readonly idleTimeout: number;
  /** Milliseconds; 0 is no limit. */
  readonly connectTimeout: number;
  /** PEM file of authorities, or empty for the platform's. */
  readonly caFile: string;
  readonly insecureSkipVerify: boolean;
}

/**
 * Connections to origins, the one used last first. A call takes one and gives it back when its answer has ended; a
 * connection that closes leaves by itself.
 */
export class ConnectionPool {
  private readonly idle = new Map<string, Connection[]>();
  private readonly options: ConnectionOptions;
  private readonly busy = new Set<Connection>();
  private closed = false;

  constructor(private readonly limits: PoolOptions) {
    this.options = {
      idleTimeout: Math.max(1, limits.idleTimeout),
      connector: buildConnector({
        allowH2: false,
        timeout: limits.connectTimeout,
        rejectUnauthorized: !limits.insecureSkipVerify,
        ...(limits.caFile === '' ? {} : { ca: readFileSync(limits.caFile) }),
      }),
    };
  }

  /** @param fresh whether a new connection is wanted, as for a repeated call */
  acquire(origin: string, fresh: boolean): Connection {
    const connection =
      (fresh ? undefined : this.idle.get(origin)?.pop()) ??
      new Connection(origin, this.options, (closed) => {
        this.forget(origin, closed);
      });
    this.busy.add(connection);
    connection.begin();
    return connection;
  }

  /** Takes a connection back whose call has ended well. */
  release(origin: string, connection: Connection, maxIdle = this.limits.maxIdle): void {
    if (!this.busy.delete(connection)) return;
    const idle = this.idle.get(origin) ?? [];
    if (this.closed || idle.length >= maxIdle || connection.client.destroyed) return connection.destroy();
    idle.push(connection);
    this.idle.set(origin, idle);
  }

  /** Closes a connection whose call failed or was given up. */
  drop(connection: Connection, reason: Error): void {
    this.busy.delete(connection);
    connection.destroy(reason);
  }

  /** Closes every connection, calls in progress included. */
  close(): void {
    this.closed = true;
    for (const connection of [...this.busy, ...[...this.idle.values()].flat()]) connection.destroy();
    this.busy.clear();
    this.idle.clear();
  }

  private forget(origin: string, connection: Connection): void {
    const idle = this.idle.get(origin);
    const place = idle?.indexOf(connection) ?? -1;
    if (idle === undefined || place === -1) return;
    idle.splice(place, 1);
    // whoever is told by requests whom to call has no end of origins
    if (idle.length === 0) this.idle.delete(origin);
    connection.destroy();
  }
}
