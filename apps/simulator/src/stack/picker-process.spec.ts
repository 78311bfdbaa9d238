import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PickerPlan } from './picker-plan.ts';
import { PickerProcess } from './picker-process.ts';

/** Says what it was started with. */
const STAND_IN = `
import { readFileSync } from 'node:fs';
const flags = Object.fromEntries(process.argv.slice(2).map((argument) => argument.replace('--', '').split('=')));
const config = JSON.parse(readFileSync(flags['config-file'], 'utf8'));
const path = config.plugins.at(-1).parameters.path;
console.log(JSON.stringify({ flags, config, endpoints: JSON.parse(readFileSync(path, 'utf8')) }));
`;

const PLAN: PickerPlan = {
  name: 'picker',
  phases: ['encode', 'prefill', 'decode'],
  config: { plugins: [{ type: 'decode-filter' }], dataLayer: { injectDefaults: true } },
  endpoints: [{ name: 'decode-1', address: '127.0.0.1', port: '8205', labels: { 'llm-d.ai/role': 'decode' } }],
  grpcPort: 9002,
  adminPort: 9092,
  isSecure: true,
};

describe('PickerProcess', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stand-in-'));
  const main = join(folder, 'main.mjs');
  beforeAll(() => {
    writeFileSync(main, STAND_IN);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  async function saidBy(plan: PickerPlan, tracing?: Record<string, string>): Promise<unknown> {
    const said = Promise.withResolvers<string>();
    const child = new PickerProcess(main, plan, said.resolve, tracing);
    const line = await said.promise;
    await child.stop();
    return JSON.parse(line);
  }

  it('has its endpoints from a file that is watched, beside what its configuration says', async () => {
    expect(await saidBy(PLAN)).toMatchObject({
      config: {
        plugins: [{ type: 'decode-filter' }, { type: 'file-discovery', parameters: { watchFile: true } }],
        dataLayer: { injectDefaults: true, discovery: { pluginRef: 'file-discovery' } },
      },
      endpoints: { endpoints: PLAN.endpoints },
      flags: { 'grpc-port': '9002', 'metrics-port': '9092', 'secure-serving': 'true', 'drain-timeout': '0s' },
    });
  });

  it.each([
    { tracing: undefined, flag: 'false' },
    { tracing: { OTEL_TRACES_EXPORTER: 'otlp' }, flag: 'true' },
  ])('traces where it is told whom to send spans to: $flag', async ({ tracing, flag }) => {
    expect(await saidBy(PLAN, tracing)).toMatchObject({ flags: { tracing: flag } });
  });

  it('is not waited for when it ends while starting', async () => {
    const child = new PickerProcess(join(folder, 'nowhere.mjs'), { ...PLAN, grpcPort: 1 }, () => undefined);
    await expect(child.ready()).rejects.toThrow('the endpoint picker (picker) ended with code 1 while starting');
    await child.stop();
  });
});
