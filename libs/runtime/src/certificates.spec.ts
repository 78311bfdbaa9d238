import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import type { ConnectionOptions, Server, TlsOptions } from 'node:tls';
import { generate } from 'selfsigned';
import { ConfigError } from '#config';
import { cleanup } from '#testing';
import { openSslName, tlsOptions, watchKeyPair } from './certificates.ts';
import type { TlsSettings } from './certificates.ts';

interface Pair {
  readonly cert: string;
  readonly private: string;
}

const later = cleanup();
let folder: string;
let first: Pair;
let second: Pair;

const certificate = (name: string): Promise<Pair> =>
  generate([{ name: 'commonName', value: name }], { algorithm: 'sha256', keyType: 'ec' });

beforeAll(async () => {
  [first, second] = await Promise.all([certificate('first.example'), certificate('second.example')]);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  later(() => {
    rmSync(folder, { recursive: true });
  });
});

function write(file: 'tls.crt' | 'tls.key', content: string): void {
  writeFileSync(join(folder, file), content);
}

function writePair({ cert, private: key }: Pair): void {
  write('tls.key', key);
  write('tls.crt', cert);
}

function settings(changes: Partial<TlsSettings> = {}): TlsSettings {
  return { folder: '', minVersion: '', cipherSuites: [], ...changes };
}

async function serving(options: TlsOptions): Promise<Server> {
  const server = createServer(options, (socket) => socket.end());
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  later(() => new Promise((resolve) => server.close(resolve)));
  return server;
}

/** Who answers, how, or why not. */
function handshake(
  server: Server,
  options: ConnectionOptions = {},
): Promise<{ name?: string; protocol?: string; cipher?: string; code?: string }> {
  const { port } = server.address() as AddressInfo; // what a server on TCP has
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, () => {
      const name = new X509Certificate(socket.getPeerCertificate().raw).subject;
      resolve({ name, protocol: socket.getProtocol() ?? '', cipher: socket.getCipher().name });
      socket.destroy();
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve({ code: error.code ?? '' }));
  });
}

describe('tlsOptions', () => {
  it('serve a certificate of their own where no folder is named', async () => {
    const server = await serving(await tlsOptions(settings()));
    expect(await handshake(server)).toMatchObject({ name: 'CN=localhost', protocol: 'TLSv1.3' });
    expect(await handshake(server, { maxVersion: 'TLSv1.2' })).toMatchObject({ protocol: 'TLSv1.2' });
  });

  it('serve the pair in the folder', async () => {
    writePair(first);
    expect(await handshake(await serving(await tlsOptions(settings({ folder }))))).toMatchObject({
      name: 'CN=first.example',
    });
  });

  it.each(['', 'VersionTLS12'] as const)('speak TLS 1.2 at a lowest version of "%s"', async (minVersion) => {
    const server = await serving(await tlsOptions(settings({ minVersion })));
    expect(await handshake(server, { maxVersion: 'TLSv1.2' })).toMatchObject({ protocol: 'TLSv1.2' });
  });

  it('speak TLS 1.3 only at a lowest version of "VersionTLS13"', async () => {
    const server = await serving(await tlsOptions(settings({ minVersion: 'VersionTLS13' })));
    expect(await handshake(server)).toMatchObject({ protocol: 'TLSv1.3' });
    expect(await handshake(server, { maxVersion: 'TLSv1.2' })).toHaveProperty('code');
  });

  it('offer the suites that are listed below TLS 1.3, and all of TLS 1.3', async () => {
    const cipherSuites = ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256'];
    const server = await serving(await tlsOptions(settings({ cipherSuites })));
    const old = await handshake(server, { maxVersion: 'TLSv1.2', ciphers: 'ALL' });
    expect(old).toMatchObject({ cipher: 'ECDHE-ECDSA-AES128-GCM-SHA256' });
    expect(await handshake(server, { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' })).toHaveProperty(
      'code',
    );
    expect(await handshake(server, { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' })).toMatchObject({ protocol: 'TLSv1.3' });
  });

  it.each(['TLS_NO_SUCH_SUITE', 'ECDHE-RSA-AES128-GCM-SHA256:aNULL', 'TLS_RSA_WITH_RC4_128_SHA', ''])(
    'refuse a suite that there is not: %p',
    async (suite) => {
      const refused = tlsOptions(settings({ cipherSuites: ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', suite] }));
      await expect(refused).rejects.toThrow(ConfigError);
      await expect(refused).rejects.toThrow(`invalid tls-cipher-suites: ${suite}`);
    },
  );

  it.each<[string, () => void]>([
    ['are not there', () => undefined],
    ['are half there', () => write('tls.crt', first.cert)],
    ['are none', () => writePair({ cert: 'x', private: 'y' })],
    ['do not belong together', () => writePair({ cert: first.cert, private: second.private })],
  ])('name the files that %s', async (_what, prepare) => {
    prepare();
    const refused = tlsOptions(settings({ folder }));
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(`load key pair from cert "${folder}/tls.crt" and key "${folder}/tls.key": `);
  });
});

describe('watchKeyPair', () => {
  /** A watch that looks often, and what it has told so far. */
  function watching(server: Server): string[] {
    const told: string[] = [];
    const stop = watchKeyPair(
      folder,
      (pair) => {
        server.setSecureContext(pair);
        told.push('changed');
      },
      (error) => told.push(error.name),
      20,
    );
    later(stop);
    return told;
  }

  /** Does it again until the watch, which begins some time after it was asked for, has told of it. */
  async function until(told: readonly string[], what: string, change: () => void): Promise<void> {
    while (told.at(-1) !== what) {
      change();
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
  }

  it('gives the new pair to a server that goes on serving', async () => {
    writePair(first);
    const server = await serving(await tlsOptions(settings({ folder })));
    const told = watching(server);
    await until(told, 'changed', () => writePair(second));
    expect(await handshake(server)).toMatchObject({ name: 'CN=second.example' });
  });

  it.each([
    { early: 'tls.crt', late: 'tls.key' },
    { early: 'tls.key', late: 'tls.crt' },
  ] as const)('keeps the old pair while $early is new and $late is not', async ({ early, late }) => {
    const files = { 'tls.crt': second.cert, 'tls.key': second.private };
    writePair(first);
    const server = await serving(await tlsOptions(settings({ folder })));
    const told = watching(server);
    await until(told, 'ConfigError', () => write(early, files[early]));
    expect(told).not.toContain('changed');
    expect(await handshake(server)).toMatchObject({ name: 'CN=first.example' });
    await until(told, 'changed', () => write(late, files[late]));
    expect(await handshake(server)).toMatchObject({ name: 'CN=second.example' });
  });

  it('says nothing while nothing changes, and nothing once it is stopped', async () => {
    writePair(first);
    const told: unknown[] = [];
    const tell = (what: unknown): void => void told.push(what);
    const stop = watchKeyPair(folder, tell, tell, 20);
    await new Promise((resolve) => setTimeout(resolve, 200));
    stop();
    writePair(second);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(told).toEqual([]);
  });
});

describe('openSslName', () => {
  it.each([
    ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
    ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
    ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
    ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
    ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
    ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
    ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
    ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256', 'ECDHE-RSA-AES128-SHA256'],
    ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
    ['TLS_DHE_RSA_WITH_AES_256_GCM_SHA384', 'DHE-RSA-AES256-GCM-SHA384'],
    ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
    ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
    ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
    ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
    ['TLS_RSA_WITH_AES_128_CBC_SHA256', 'AES128-SHA256'],
    ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
    ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
  ])('%s is %s', (iana, openSsl) => {
    expect(openSslName(iana)).toBe(openSsl);
  });
});
