import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfiguredProcess } from './configured-process.ts';

/** Stands in for a built program: ready at the second asking of the port that it is given. */
const STAND_IN = `
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
const config = JSON.parse(readFileSync(process.argv[process.argv.indexOf('--config') + 1], 'utf8'));
if (config.broken) { console.error('broken is set'); process.exit(3); }
let asked = 0;
const server = createServer((request, response) => {
  response.writeHead(request.url === '/readyz' && ++asked > 1 ? 200 : 503).end();
});
server.listen(config.port, '127.0.0.1');
process.on('SIGTERM', () => { console.log('bye'); process.exit(0); });
`;

/** Says which variables of tracing it has. */
const ENVIRONMENT = `
const own = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'));
console.log(JSON.stringify(Object.fromEntries(own)));
setInterval(() => undefined, 1000);
`;

describe('ConfiguredProcess', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  const main = join(folder, 'main.mjs');

  beforeAll(() => {
    writeFileSync(main, STAND_IN);
    writeFileSync(join(folder, 'env.mjs'), ENVIRONMENT);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const program = (config: { readonly port?: number; readonly broken?: boolean }) => ({
    ...{ name: 'the stand-in', main, config },
    url: `http://127.0.0.1:${config.port ?? 1}`,
  });

  it('is ready when /readyz says so, hands its lines on, and ends with SIGTERM', async () => {
    const lines: string[] = [];
    const port = 10_000 + Math.floor(Math.random() * 20_000);
    const child = new ConfiguredProcess(program({ port }), (line) => lines.push(line));
    await child.ready();
    await child.stop();
    expect(await child.ended).toBe(0);
    expect(lines).toEqual(['bye']);
  });

  it('gets the tracing it is given in place of what the environment says of it', async () => {
    process.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-api-key=secret';
    const said = Promise.withResolvers<string>();
    const child = new ConfiguredProcess({ ...program({}), main: join(folder, 'env.mjs') }, said.resolve, {
      OTEL_TRACES_SAMPLER: 'always_on',
    });
    const line = await said.promise;
    await child.stop();
    delete process.env['OTEL_EXPORTER_OTLP_HEADERS'];
    expect(JSON.parse(line)).toEqual({ OTEL_TRACES_SAMPLER: 'always_on' });
  });

  it('is not waited for when it ends while starting', async () => {
    const child = new ConfiguredProcess(program({ broken: true }), () => undefined);
    await expect(child.ready()).rejects.toThrow('the stand-in ended with code 3 while starting');
    await child.stop();
  });
});
