import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:tls';
import type { Server, TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { TcpPeer, cleanup } from '#testing';
import type { GatewayConfig } from './gateway.config.ts';
import { aCall, aClient, answer, failureOf, textOf } from './upstream.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
const caFile = join(folder, 'ca.pem');
let pair: { cert: string; private: string };
const later = cleanup();

beforeAll(async () => {
  const altNames = [{ type: 2 as const, value: 'localhost' }];
  pair = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
  writeFileSync(caFile, pair.cert);
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** An https upstream; `localhost` is the name in its certificate. */
async function upstreamOf(
  script: (peer: TcpPeer, nth: number) => Promise<void>,
): Promise<{ port: number; names: unknown[] }> {
  const names: unknown[] = [];
  const sockets: TLSSocket[] = [];
  const server: Server = createServer({ cert: pair.cert, key: pair.private }, (socket) => {
    names.push(socket.servername);
    const nth = sockets.push(socket) - 1;
    script(new TcpPeer(socket), nth).catch(() => socket.destroy());
  });
  // a client that does not trust the certificate hangs up
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // what a server on TCP has
  return { port, names };
}

async function answering(peer: TcpPeer): Promise<void> {
  await peer.until('{"a":1}');
  peer.send(answer('over TLS'));
}

function client(config: Partial<GatewayConfig>) {
  const tries: number[] = [];
  const upstream = aClient(config, [{ intercept: ({ attempt }, next) => (tries.push(attempt), next()) }]);
  later(() => upstream.onApplicationShutdown());
  return { tries, send: (base: string) => upstream.send(aCall(base)) };
}

describe('UpstreamClient, https', () => {
  it('trusts the authorities of gateway.ca_file, and says which host it wants', async () => {
    const { port, names } = await upstreamOf(answering);
    const reply = await client({ ca_file: caFile }).send(`https://localhost:${port}`);
    expect(await textOf(reply)).toBe('over TLS');
    expect(names).toEqual(['localhost']);
  });

  it.each([
    { name: 'an authority that it does not know', host: 'localhost', config: {} },
    { name: 'a name that is not in the certificate', host: '127.0.0.1', config: { ca_file: caFile } },
  ])('does not talk to an upstream with $name, and does not try again', async ({ host, config }) => {
    const { port } = await upstreamOf(answering);
    const calls = client(config);
    const failure = await failureOf(calls.send(`https://${host}:${port}`));
    expect(failure).toMatchObject({ name: 'UpstreamConnectionError', status: 502, isRepeatable: false });
    expect(calls.tries).toEqual([0]);
  });

  it('accepts any certificate with gateway.insecure_skip_verify', async () => {
    const { port } = await upstreamOf(answering);
    const reply = await client({ insecure_skip_verify: true }).send(`https://127.0.0.1:${port}`);
    expect(await textOf(reply)).toBe('over TLS');
  });

  it('repeats a call on a reused connection that the upstream closes in order', async () => {
    const { port } = await upstreamOf(async (peer) => {
      await answering(peer);
      await peer.until('{"a":1}', 2);
      peer.end();
    });
    const calls = client({ ca_file: caFile });
    for (let call = 0; call < 2; call++)
      expect(await textOf(await calls.send(`https://localhost:${port}`))).toBe('over TLS');
    expect(calls.tries).toEqual([0, 0, 1]);
  });

  it('does not repeat a call on a new connection that breaks after its handshake', async () => {
    const { port } = await upstreamOf(async (peer) => {
      await peer.until('{"a":1}');
      peer.end();
    });
    const calls = client({ ca_file: caFile });
    const failure = await failureOf(calls.send(`https://localhost:${port}`));
    expect(failure).toMatchObject({ reason: 'reset', isRepeatable: false });
    expect(calls.tries).toEqual([0]);
  });
});
