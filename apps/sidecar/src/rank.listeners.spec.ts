import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { setTimeout as delay } from 'node:timers/promises';
import { generate } from 'selfsigned';
import { cleanup } from '#testing';
import type { FakeUpstream } from '#testing';
import { aRunningSidecar, anEngine, freePorts, portOf, urlOf } from './sidecar.fixture.ts';
import type { SidecarSetting } from './sidecar.fixture.ts';
import type { RunningSidecar } from './start.ts';

interface Pair {
  readonly cert: string;
  readonly private: string;
}

const later = cleanup();
let pairs: Pair[];

beforeAll(async () => {
  const names = ['first', 'second', 'third'];
  pairs = await Promise.all(
    names.map((value) => generate([{ name: 'commonName', value }], { keyType: 'ec', algorithm: 'sha256' })),
  );
});

async function upstream(): Promise<FakeUpstream> {
  const engine = await anEngine();
  later(() => engine.close());
  return engine;
}

/** Closed behind the test. */
async function open(setting: SidecarSetting): Promise<RunningSidecar> {
  const sidecar = await aRunningSidecar(await upstream(), setting);
  later(() => sidecar.shutdown.run('SIGTERM'));
  return sidecar;
}

/** A folder as Kubernetes mounts a secret: files that are links into `..data`, which is a link that is swapped. */
class Secret {
  readonly folder = mkdtempSync(join(tmpdir(), 'sidecar-tls-'));
  private version = 0;

  constructor() {
    later(() => {
      rmSync(this.folder, { recursive: true });
    });
    for (const file of ['tls.crt', 'tls.key']) symlinkSync(join('..data', file), join(this.folder, file));
  }

  swap(certificate: string, key: string): void {
    const name = `..${this.version++}`;
    mkdirSync(join(this.folder, name));
    writeFileSync(join(this.folder, name, 'tls.crt'), certificate);
    writeFileSync(join(this.folder, name, 'tls.key'), key);
    symlinkSync(name, join(this.folder, '..data_tmp'));
    renameSync(join(this.folder, '..data_tmp'), join(this.folder, '..data'));
  }
}

/** Whose certificate is served. */
function nameServed(url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: portOf(url), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().subject.CN);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

async function untilServed(url: string, name: string): Promise<void> {
  while ((await nameServed(url)) !== name) await delay(10);
}

describe('the listeners of the sidecar', () => {
  it('take up each certificate that is swapped in, on every rank, and none that has another key (S6)', async () => {
    const [first, second, third] = pairs;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no certificates');
    const secret = new Secret();
    secret.swap(first.cert, first.private);
    const sidecar = await open({
      flags: ['--secure-proxy=true', `--cert-path=${secret.folder}`, '--data-parallel-size=2'],
      surroundings: { certificateLook: 20 },
    });
    const urls = [urlOf(sidecar, 0), urlOf(sidecar, 1)];
    for (const url of urls) expect(await nameServed(url)).toBe('first');
    secret.swap(second.cert, second.private);
    for (const url of urls) await untilServed(url, 'second');
    secret.swap(first.cert, third.private);
    await delay(100);
    for (const url of urls) expect(await nameServed(url)).toBe('second');
    secret.swap(third.cert, third.private);
    for (const url of urls) await untilServed(url, 'third');
  });

  it('do not start without a certificate that can be used', async () => {
    const [first, second] = pairs;
    const secret = new Secret();
    secret.swap(first?.cert ?? '', second?.private ?? '');
    await expect(open({ flags: ['--secure-proxy=true', `--cert-path=${secret.folder}`] })).rejects.toThrow(
      'load key pair',
    );
  });

  it('do not start where the port of any rank is taken, and leave none behind', async () => {
    const base = await freePorts(2);
    const holder = createServer();
    await new Promise<void>((resolve) => holder.listen(base, '::', resolve));
    const starting = () => open({ flags: ['--data-parallel-size=2'], options: { port: base } });
    await expect(starting()).rejects.toThrow(`cannot listen on port ${base}: EADDRINUSE`);
    await new Promise((resolve) => holder.close(resolve));
    // the other rank's port is free again, or this could not start
    expect(portOf(urlOf(await starting(), 1))).toBe(base + 1);
  });
});
