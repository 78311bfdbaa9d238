import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { generate } from 'selfsigned';
import { cleanup } from '#testing';
import { GrpcListener } from './grpc-listener.ts';
import { openCredentials } from './tls-credentials.ts';

async function writePair(folder: string, commonName: string): Promise<void> {
  const pair = await generate([{ name: 'commonName', value: commonName }], { keyType: 'ec', algorithm: 'sha256' });
  writeFileSync(join(folder, 'tls.crt'), pair.cert);
  writeFileSync(join(folder, 'tls.key'), pair.private);
}

/** The name in the certificate that a port shows; undefined where the handshake fails. */
function shownName(port: number, maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3'): Promise<unknown> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['h2'], maxVersion };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.on('error', () => {
      resolve(undefined);
    });
  });
}

describe('openCredentials', () => {
  const closing = cleanup();

  async function listen(minVersion: 'VersionTLS12' | 'VersionTLS13', interval?: number) {
    const folder = mkdtempSync(join(tmpdir(), 'epp-tls-'));
    closing(() => rmSync(folder, { recursive: true }));
    await writePair(folder, 'first');
    const { credentials, close } = await openCredentials({ folder, minVersion, cipherSuites: [] }, interval);
    closing(close);
    const listener = await GrpcListener.open({ port: 0, services: [], credentials });
    closing(() => listener.kill());
    return { folder, port: listener.port };
  }

  it('takes new files in the place of the old ones while it serves, and keeps its versions', async () => {
    const { folder, port } = await listen('VersionTLS13', 10);
    expect(await shownName(port)).toBe('first');
    await writePair(folder, 'second');
    while ((await shownName(port)) !== 'second') await new Promise(setImmediate);
    expect(await shownName(port, 'TLSv1.2')).toBeUndefined();
  });

  it('speaks no version below the least', async () => {
    const { port } = await listen('VersionTLS13');
    expect(await shownName(port, 'TLSv1.2')).toBeUndefined();
    expect(await shownName(port)).toBe('first');
  });

  it('fails where the folder holds no pair', async () => {
    const settings = { folder: '/nowhere', minVersion: '' as const, cipherSuites: [] };
    await expect(openCredentials(settings, undefined)).rejects.toThrow('load key pair');
  });
});
