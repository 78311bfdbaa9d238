import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { LoggedCall } from '../control/request-log.ts';
import { ENVOY, EnvoyProcess } from './envoy-process.ts';
import { findVersioned } from './find-program.ts';

const ACCESS = {
  ...{ started: '1.5', duration_ms: 3, method: 'GET', path: '/', request_id: 'r-1', answered_id: null },
  ...{ profile: null, prefer: null, status: 200, flags: null, upstream: null },
};

/** Stands in for Envoy: says its version, or what it was started with and a line of its access log. */
const STAND_IN = `#!${process.execPath}
const { createServer } = require('node:http');
const { readFileSync } = require('node:fs');
if (process.argv.includes('--version')) {
  console.log('envoy  version: 0123abc/1.40.0/Clean/RELEASE/BoringSSL');
} else {
  const { admin, static_resources } = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--config-path') + 1]));
  console.log('listens: ' + static_resources.listeners.map(({ name }) => name));
  console.log('${JSON.stringify(ACCESS)}');
  const { port_value } = admin.address.socket_address;
  createServer((request, response) => response.writeHead(request.url === '/ready' ? 200 : 404).end()).listen(port_value);
}
`;

const folder = mkdtempSync(join(tmpdir(), 'envoy-'));
const program = join(folder, 'envoy');
writeFileSync(program, STAND_IN, { mode: 0o755 });
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('EnvoyProcess', () => {
  it('is ready when its admin says so, and tells of requests apart from what else it says', async () => {
    const lines: string[] = [];
    const calls: LoggedCall[] = [];
    const told = Promise.withResolvers<undefined>();
    const topology = { clientPort: 1, port: 2, coordinatorPort: 3, pickers: { encode: 4, prefill: 4, decode: 4 } };
    const envoy = new EnvoyProcess(
      program,
      { topology, adminPort: 10_000 + Math.floor(Math.random() * 20_000) },
      (line) => lines.push(line),
      (call) => {
        calls.push(call);
        told.resolve(undefined);
      },
    );
    await envoy.ready();
    await told.promise;
    await envoy.stop();
    expect(lines).toEqual(['listens: clients,ingress']);
    expect(calls).toMatchObject([{ phase: 'client', requestId: 'r-1', startedAt: 1500, durationMs: 3 }]);
  });
});

describe('ENVOY', () => {
  it('knows its version', () => {
    expect(findVersioned(ENVOY, program)).toEqual({ program, version: '1.40.0' });
  });
});
