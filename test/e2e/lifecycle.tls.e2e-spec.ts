import { once } from 'node:events';
import { Agent, request } from 'node:https';
import type { AgentOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { generate } from 'selfsigned';
import { statusOf } from './support/coordinator.process.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { readText } from './support/streaming.client.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

/** The files are looked at every five seconds. */
const RELOADS_WITHIN_MS = 12_000;
const CHAT = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hello there.' }] });

describe('secure_serving', () => {
  let folder: TemporaryFolder;
  let stack: Stack;
  afterEach(async () => {
    await stack.stop();
    folder.remove();
  });

  async function start(server: Readonly<Record<string, unknown>>): Promise<void> {
    stack = await startStack({ server: { secure_serving: true, ...server } });
  }
  async function chat(tls: AgentOptions): Promise<string> {
    const agent = new Agent(tls);
    const sent = request(`${stack.coordinatorUrl}/v1/chat/completions`, { agent, method: 'POST' });
    sent.end(CHAT);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]; // as ClientRequest documents it
    const text = await readText(answer);
    agent.destroy();
    return text;
  }
  const plainUrl = (): string => stack.coordinatorUrl.replace('https:', 'http:');

  it('serves HTTPS, and HTTPS only, with a certificate of its own', async () => {
    folder = new TemporaryFolder();
    await start({});
    expect(await chat({ rejectUnauthorized: false })).toContain('[DONE]');
    await expect(chat({})).rejects.toThrow(/self-signed certificate/);
    expect(await statusOf(`${plainUrl()}/healthz`)).not.toBe(200);
  });

  it('serves HTTPS with the certificate of cert_path, and another one when its files change', async () => {
    folder = new TemporaryFolder();
    const first = await writePair(folder, 'first.example');
    await start({ cert_path: folder.path });
    expect((await certificate(stack)).subject.CN).toBe('first.example');
    expect(await chat({ ca: first })).toContain('[DONE]');
    const second = await writePair(folder, 'second.example');
    expect(await nameBecomes(stack, 'second.example')).toBe('second.example');
    expect(await chat({ ca: second })).toContain('[DONE]');
  });

  it('keeps the old certificate while the new files do not fit, and takes the new one when they do', async () => {
    folder = new TemporaryFolder();
    await writePair(folder, 'first.example');
    await start({ cert_path: folder.path });
    const { cert, private: key } = await pair('second.example');
    folder.write('tls.crt', cert);
    await saysInTime(stack, 'the new certificate cannot be used');
    expect((await certificate(stack)).subject.CN).toBe('first.example');
    folder.write('tls.key', key);
    expect(await nameBecomes(stack, 'second.example')).toBe('second.example');
  });

  it('refuses what is older than tls_min_version', async () => {
    folder = new TemporaryFolder();
    await start({ tls_min_version: 'VersionTLS13' });
    await expect(chat({ rejectUnauthorized: false, maxVersion: 'TLSv1.2' })).rejects.toThrow();
    expect(await chat({ rejectUnauthorized: false })).toContain('[DONE]');
  });
});

function pair(name: string): ReturnType<typeof generate> {
  const altNames = [
    { type: 2 as const, value: name },
    { type: 7 as const, ip: '127.0.0.1' },
  ];
  return generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames }],
  });
}

/** @returns the certificate, which is its own authority */
async function writePair(folder: TemporaryFolder, name: string): Promise<string> {
  const { cert, private: key } = await pair(name);
  folder.write('tls.key', key);
  folder.write('tls.crt', cert);
  return cert;
}

async function certificate({ coordinatorUrl }: Stack): Promise<PeerCertificate> {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(coordinatorUrl).port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const found = socket.getPeerCertificate();
  socket.destroy();
  return found;
}

/** The name that is served when it is the one wanted, or the time is up. */
async function nameBecomes(stack: Stack, wanted: string): Promise<PeerCertificate['subject']['CN']> {
  const deadline = Date.now() + RELOADS_WITHIN_MS;
  for (;;) {
    const { CN } = (await certificate(stack)).subject;
    if (CN === wanted || Date.now() > deadline) return CN;
    await sleep(100);
  }
}

async function saysInTime({ coordinator }: Stack, words: string): Promise<void> {
  const deadline = Date.now() + RELOADS_WITHIN_MS;
  while (!coordinator.output.includes(words)) {
    if (Date.now() > deadline) throw new Error(`did not say "${words}":\n${coordinator.output}`);
    await sleep(50);
  }
}
