import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { RawUpstream } from '#testing';
import { ConnectionPool } from './connection-pool.ts';
import type { Connection } from './connection.ts';

let upstream: RawUpstream;
const pools: ConnectionPool[] = [];

beforeEach(async () => {
  upstream = await RawUpstream.start(async (peer) => {
    await peer.until('\r\n\r\n');
    peer.send('HTTP/1.1 204 Done\r\n\r\n');
  });
});

afterEach(async () => {
  for (const pool of pools.splice(0)) pool.close();
  await upstream.close();
});

function aPool(maxIdle: number): ConnectionPool {
  const limits = { maxIdle, idleTimeout: 60_000, connectTimeout: 5_000, caFile: '', insecureSkipVerify: false };
  const pool = new ConnectionPool(limits);
  pools.push(pool);
  return pool;
}

function acquire(pool: ConnectionPool): Connection {
  return pool.acquire(upstream.url, false);
}

/** Connections that are in use at the same time. */
function acquireMany(pool: ConnectionPool, count: number): Connection[] {
  return Array.from({ length: count }, () => acquire(pool));
}

function release(pool: ConnectionPool, ...connections: readonly Connection[]): void {
  for (const connection of connections) pool.release(upstream.url, connection);
}

describe('ConnectionPool', () => {
  it('gives a connection of its own to each call in progress', () => {
    const pool = aPool(10);
    expect(acquire(pool)).not.toBe(acquire(pool));
  });

  it('gives the connection that was used last', () => {
    const pool = aPool(10);
    const [first, second, third] = [acquire(pool), acquire(pool), acquire(pool)];
    release(pool, first, third, second);
    expect(acquire(pool)).toBe(second);
    expect(acquire(pool)).toBe(third);
    expect(acquire(pool)).toBe(first);
  });

  it('gives a new connection where one is wanted, and keeps the idle one', () => {
    const pool = aPool(10);
    const idle = acquire(pool);
    release(pool, idle);
    expect(pool.acquire(upstream.url, true)).not.toBe(idle);
    expect(pool.acquire(upstream.url, false)).toBe(idle);
  });

  it('keeps origins apart', () => {
    const pool = aPool(10);
    const here = acquire(pool);
    release(pool, here);
    expect(pool.acquire('http://127.0.0.1:1', false)).not.toBe(here);
  });

  it.each([0, 1, 3])('keeps %i idle connections and closes the rest', (maxIdle) => {
    const pool = aPool(maxIdle);
    const connections = acquireMany(pool, 5);
    release(pool, ...connections);
    expect(connections.map(({ client }) => client.destroyed)).toEqual(connections.map((_, index) => index >= maxIdle));
  });

  it('keeps as many as the call says, where it says', () => {
    const pool = aPool(0);
    const connection = acquire(pool);
    pool.release(upstream.url, connection, 1);
    expect(acquire(pool)).toBe(connection);
  });

  it('takes a connection back once', () => {
    const pool = aPool(10);
    const connection = acquire(pool);
    release(pool, connection, connection);
    expect(acquireMany(pool, 2).filter((acquired) => acquired === connection)).toHaveLength(1);
  });

  it('closes a connection that is dropped, and does not give it again', () => {
    const pool = aPool(10);
    const connection = acquire(pool);
    pool.drop(connection, new Error('failed'));
    release(pool, connection);
    expect(connection.client.destroyed).toBe(true);
    expect(acquire(pool)).not.toBe(connection);
  });

  it('forgets an idle connection that the upstream closes', async () => {
    const pool = aPool(10);
    const connection = acquire(pool);
    const gone = once(connection.client, 'disconnect');
    const { body } = await connection.client.request({ method: 'GET', path: '/' });
    await body.dump();
    release(pool, connection);
    upstream.peers[0]?.end();
    await gone;
    expect(acquire(pool) === connection).toBe(false);
    expect(connection.client.destroyed).toBe(true);
  });

  it('closes idle connections and those in use', () => {
    const pool = aPool(10);
    const [idle, busy] = [acquire(pool), acquire(pool)];
    release(pool, idle);
    pool.close();
    expect([idle.client.destroyed, busy.client.destroyed]).toEqual([true, true]);
  });

  it('keeps nothing that comes back after it was closed', () => {
    const pool = aPool(10);
    pool.close();
    const late = acquire(pool);
    release(pool, late);
    expect(late.client.destroyed).toBe(true);
  });

  it('says which file of authorities it cannot read', () => {
    const limits = {
      maxIdle: 1,
      idleTimeout: 1,
      connectTimeout: 1,
      caFile: '/nowhere/ca.pem',
      insecureSkipVerify: false,
    };
    expect(() => new ConnectionPool(limits)).toThrow('/nowhere/ca.pem');
  });
});
