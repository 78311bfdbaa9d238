import { describe, expect, it } from '@jest/globals';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { Child, cleanup } from '#testing';
import { tlsOptions } from './certificates.ts';
import { probe } from './tcp-probe.ts';

const later = cleanup();

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  const sockets: Socket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  later(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // what a server on TCP has
}

async function tlsPort(): Promise<number> {
  const server = createTlsServer(await tlsOptions({ folder: '', minVersion: '', cipherSuites: [] }));
  return listening(server.on('tlsClientError', () => undefined));
}

describe('probe', () => {
  it('finds what accepts a connection, though it says nothing', async () => {
    expect(await probe(`http://127.0.0.1:${await listening(createServer())}/some/path`)).toBeUndefined();
  });

  it('finds it at an address of IPv6', async () => {
    expect(await probe(`http://[::1]:${await listening(createServer(), '::1')}`)).toBeUndefined();
  });

  it('finds it by a name', async () => {
    expect(await probe(`http://localhost:${await listening(createServer())}`)).toBeUndefined();
  });

  it('says why where nobody listens', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await probe(`http://127.0.0.1:${port}`)).toBe('ECONNREFUSED');
  });

  it("says why where the name is nobody's", async () => {
    expect(await probe('http://nobody.invalid:80')).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  });

  it('finds what ends a TLS handshake, whoever signed its certificate', async () => {
    expect(await probe(`https://localhost:${await tlsPort()}`)).toBeUndefined();
  });

  it('does not take TCP for TLS', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'));
    expect(await probe(`https://localhost:${await listening(server)}`)).toMatch(/^(ERR_SSL|ECONNRESET)/);
  });

  it('gives up on what does not go on with the handshake', async () => {
    const port = await listening(createServer());
    const begun = performance.now();
    expect(await probe(`https://localhost:${port}`)).toBe('timeout');
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it('is not warned by Node where the address of https is no name', async () => {
    const source = new URL('tcp-probe.ts', import.meta.url).href;
    const url = `https://127.0.0.1:${await tlsPort()}`;
    const child = new Child(`import { probe } from '${source}'; console.log(await probe('${url}'));`, [
      '--throw-deprecation',
    ]);
    expect([await child.exit, child.text]).toEqual([0, 'undefined\n']);
  });

  it('leaves no connection behind', async () => {
    const server = createServer();
    const port = await listening(server);
    await probe(`http://127.0.0.1:${port}`);
    await new Promise((resolve) => server.close(resolve));
  });
});
