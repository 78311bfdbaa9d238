import { describe, expect, it } from '@jest/globals';
import { generate } from 'selfsigned';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanup } from '#testing';
import { PickerMetrics } from '#telemetry/picker';
import { SILENT, aRunningEpp } from './epp.fixture.ts';
import { metricsPage } from './metrics.companion.ts';

const closing = cleanup();

/** A certificate that is its own authority, and the folder that it lies in. */
async function certificate() {
  const folder = mkdtempSync(join(tmpdir(), 'epp-'));
  closing(() => rmSync(folder, { recursive: true }));
  const pair = await generate([{ name: 'commonName', value: 'localhost' }], { keyType: 'ec', algorithm: 'sha256' });
  writeFileSync(join(folder, 'tls.crt'), pair.cert);
  writeFileSync(join(folder, 'tls.key'), pair.private);
  return { folder, file: join(folder, 'tls.crt'), cert: pair.cert, key: pair.private };
}

async function listening(flags: readonly string[]): Promise<string> {
  let url = '';
  const page = metricsPage(new PickerMetrics(), SILENT, (told) => {
    url = told;
  });
  const epp = await aRunningEpp(['--metrics-port=0', ...flags], { companions: [page] });
  closing(() => epp.drain.run('SIGTERM'));
  return url;
}

/** The status that a reader with that certificate gets. */
function read(url: string, identity: Pick<RequestOptions, 'cert' | 'key'>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/metrics`, { rejectUnauthorized: false, agent: false, ...identity }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the listener of metrics', () => {
  it('shows them to whoever has a certificate of the authority, and to nobody else', async () => {
    const [own, known, stranger] = [await certificate(), await certificate(), await certificate()];
    const url = await listening([`--metrics-cert-dir=${own.folder}`, `--metrics-client-ca-file=${known.file}`]);
    expect(await read(url, known)).toBe(200);
    await expect(read(url, {})).rejects.toThrow();
    await expect(read(url, stranger)).rejects.toThrow();
  });

  it('takes any reader over TLS where no authority is named', async () => {
    const { folder } = await certificate();
    expect(await read(await listening([`--metrics-cert-dir=${folder}`]), {})).toBe(200);
  });
});
