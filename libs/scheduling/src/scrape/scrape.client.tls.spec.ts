import { beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { cleanup } from '#testing';
import { MetricsDataSource, metricsSourceParams } from './metrics.source.ts';
import { ScrapeClient } from './scrape.client.ts';

const onEnd = cleanup();
let pair: { readonly cert: string; readonly private: string };

beforeAll(async () => {
  const extensions = [{ name: 'subjectAltName' as const, altNames: [{ type: 7 as const, ip: '127.0.0.1' }] }];
  pair = await generate([{ name: 'commonName', value: 'worker' }], { algorithm: 'sha256', keyType: 'ec', extensions });
});

function pemFile(name: string, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'scrape-'));
  onEnd(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

async function get(parameters: Record<string, unknown>, requestCert = false): Promise<string> {
  const options = { cert: pair.cert, key: pair.private, ca: pair.cert, requestCert, rejectUnauthorized: requestCert };
  const server = createServer(options, (_request, response) => void response.end('up 1\n'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onEnd(() => server.close());
  const source = new MetricsDataSource(metricsSourceParams.parse({ scheme: 'https', ...parameters }));
  // a server that listens on a port has an address of this kind
  const { port } = server.address() as AddressInfo;
  const origin = source.origin({ address: '127.0.0.1', port });
  const client = new ScrapeClient({ origin, path: source.path, tls: source.tls, timeout: 5000 });
  onEnd(() => client.close());
  return (await client.get()).toString();
}

describe('ScrapeClient over TLS', () => {
  it('takes any certificate where nothing is said', async () => {
    await expect(get({})).resolves.toBe('up 1\n');
  });

  it('refuses a certificate that it does not know when it is to check', async () => {
    await expect(get({ insecureSkipVerify: false })).rejects.toThrow('self-signed');
  });

  it('knows the authorities that it is given', async () => {
    const caCertPath = pemFile('ca.pem', pair.cert);
    await expect(get({ insecureSkipVerify: false, caCertPath })).resolves.toBe('up 1\n');
  });

  it('shows its own certificate', async () => {
    const own = { clientCertPath: pemFile('cert.pem', pair.cert), clientKeyPath: pemFile('key.pem', pair.private) };
    await expect(get({}, true)).rejects.toThrow();
    await expect(get(own, true)).resolves.toBe('up 1\n');
  });
});
