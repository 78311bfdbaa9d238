import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulatorSchema } from '../simulator.config.ts';
import type { SidecarPlan } from './sidecar-plan.ts';
import { SidecarProcess } from './sidecar-process.ts';

/** Says what it was started with. */
const STAND_IN = `
const flags = Object.fromEntries(process.argv.slice(2).map((argument) => argument.replace('--', '').split('=')));
console.log(JSON.stringify({ flags, podIp: process.env.POD_IP, bootstrap: process.env.SGLANG_BOOTSTRAP_PORT }));
`;

function planOf(settings: object): SidecarPlan {
  const workers = simulatorSchema.shape.sidecar.unwrap().parse(settings);
  return { name: 'sidecar-1', port: 8401, metricsPort: 9101, enginePort: 8205, workers };
}

describe('SidecarProcess', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  const main = join(folder, 'main.mjs');
  beforeAll(() => {
    writeFileSync(main, STAND_IN);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function saidBy(settings: object, tracing?: Record<string, string>): Promise<unknown> {
    const said = Promise.withResolvers<string>();
    const child = new SidecarProcess(main, planOf(settings), said.resolve, tracing);
    const line = await said.promise;
    await child.stop();
    return JSON.parse(line);
  }

  it('stands before its engine over plain HTTP, with the connectors of the workers', async () => {
    expect(await saidBy({ kv_connector: 'mooncake', ec_connector: 'ec-example', bootstrap_port: 5000 })).toMatchObject({
      flags: {
        'secure-proxy': 'false',
        port: '8401',
        'model-server-port': '8205',
        'metrics-port': '9101',
        'kv-connector': 'mooncake',
        'ec-connector': 'ec-example',
        'mooncake-bootstrap-port': '5000',
        'p2p-key-style': 'seed',
      },
      podIp: '127.0.0.1',
      bootstrap: '5000',
    });
  });

  it.each([
    { tracing: undefined, flag: 'false' },
    { tracing: { OTEL_TRACES_EXPORTER: 'otlp' }, flag: 'true' },
  ])('traces where it is told whom to send spans to: $flag', async ({ tracing, flag }) => {
    expect(await saidBy({}, tracing)).toMatchObject({ flags: { tracing: flag } });
  });
});
