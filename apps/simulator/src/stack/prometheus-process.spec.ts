import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PrometheusProcess, ruleFiles } from './prometheus-process.ts';

/** Stands in for Prometheus: ready at once, and says what it was started with. */
const STAND_IN = `#!${process.execPath}
const { createServer } = require('node:http');
const { readFileSync } = require('node:fs');
const option = (name) => process.argv.find((arg) => arg.startsWith('--' + name + '='))?.split('=')[1];
console.log(JSON.stringify(JSON.parse(readFileSync(option('config.file'), 'utf8'))));
const [host, port] = option('web.listen-address').split(':');
createServer((request, response) => response.writeHead(request.url === '/-/ready' ? 200 : 404).end()).listen(port, host);
`;

describe('PrometheusProcess', () => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  const program = join(folder, 'prometheus');
  writeFileSync(program, STAND_IN, { mode: 0o755 });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it('scrapes what each job has every two seconds, by the rules it is given', async () => {
    const lines: string[] = [];
    const settings = {
      host: '127.0.0.1',
      port: await freePort(),
      jobs: { coordinator: ['127.0.0.1:9090'], vllm: ['127.0.0.1:8201', '127.0.0.1:8202'] },
      rules: ['/rules/a.rules.yaml'],
    };
    const prometheus = new PrometheusProcess(program, settings, (line) => lines.push(line));
    await prometheus.ready();
    await prometheus.stop();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      global: { scrape_interval: '2s' },
      rule_files: ['/rules/a.rules.yaml'],
      scrape_configs: [
        { job_name: 'coordinator', static_configs: [{ targets: ['127.0.0.1:9090'] }] },
        { job_name: 'vllm', static_configs: [{ targets: ['127.0.0.1:8201', '127.0.0.1:8202'] }] },
      ],
    });
  });
});

describe('ruleFiles', () => {
  it('is the rules of a folder without their tests, and nothing where there is no folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rules-'));
    for (const name of ['b.rules.yaml', 'b.rules.test.yaml', 'notes.md']) writeFileSync(join(folder, name), '');
    expect(ruleFiles(folder)).toEqual([join(folder, 'b.rules.yaml')]);
    rmSync(folder, { recursive: true });
    expect(ruleFiles(folder)).toEqual([]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a server on a port has an address object
  server.close();
  await once(server, 'close');
  return port;
}
