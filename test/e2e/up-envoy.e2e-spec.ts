import { describe, expect, it, jest } from '@jest/globals';
import { ensureEnvoy } from '../install/envoy.mjs';
import { isFree } from './support/free-port.ts';
import { UP_PORTS, UpProcess, freeOffset } from './support/up.process.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const envoy = await ensureEnvoy();
if (envoy === undefined) process.stdout.write('SKIPPED: up --envoy is not tried, since there is no Envoy.\n');
const withEnvoy = envoy === undefined ? describe.skip : describe;

const TOPOLOGIES = [
  { name: 'one endpoint picker', flags: [], admin: ['picker'] },
  {
    name: 'a picker for each role',
    flags: ['--pickers', '3'],
    admin: ['picker-encode', 'picker-prefill', 'picker-decode'],
  },
];

withEnvoy.each(TOPOLOGIES)('node apps/simulator/up.mjs --envoy with $name', ({ flags, admin }) => {
  it('sends the demo through Envoy, shows phases, pods and spans as ever, exits 0 and leaves nothing behind', async () => {
    const offset = await freeOffset();
    const running = new UpProcess('--envoy', ...flags, '--demo', '--traces', '--port-offset', String(offset));
    const code = await running.ended;
    const { output } = running;
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/^Envoy \d+\.\d+\.\d+: \/.*envoy$/m);
    expect(output).toMatch(new RegExp(` gateway +http://127\\.0\\.0\\.1:${8000 + offset} `));
    for (const part of admin)
      expect(output).toMatch(new RegExp(` ${part} +http://127\\.0\\.0\\.1:\\d+ .*/admin/decisions`));
    const [, first = '', second = '', third = ''] = output.split(/^\d\. /m);
    const [, decode = ''] =
      /probe 412 \d+ms · prefill → prefill-\d \d+ms · decode → (decode-\d) ttft/.exec(first) ?? [];
    expect(second).toContain(` · probe hit → ${decode} ttft`);
    expect(third).toMatch(
      /probe 412 \d+ms · encode×2 → encode-.* · prefill → prefill-\d \d+ms · decode → decode-\d ttft/,
    );
    for (const span of ['gateway\\.request .* 412', 'request_orchestration .* → default/decode-\\d']) {
      expect(first).toMatch(new RegExp(`─ ${span}$`, 'm'));
    }
    expect(await Promise.all(UP_PORTS.map((port) => isFree(port + offset)))).toEqual(UP_PORTS.map(() => true));
  });
});

withEnvoy('node apps/simulator/up.mjs --envoy', () => {
  it('prints a line for a request, and lets no client choose a phase', async () => {
    const offset = await freeOffset();
    const running = new UpProcess('--envoy', '--no-prometheus', '--port-offset', String(offset));
    try {
      await running.says('Ready.');
      const answer = await fetch(`http://127.0.0.1:${8000 + offset}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-request-id': 'up-1', 'EPP-Profile': 'encode' },
        body: JSON.stringify({ model: 'm', prompt: 'how is a pod found? '.repeat(30), max_tokens: 3 }),
      });
      expect(answer.status).toBe(200);
      await running.says('ms in all');
      expect(running.output).toMatch(
        / up-1 POST \/v1\/completions m 200 · render .* · probe 412 .* · prefill → prefill-\d .* · decode → decode-\d /,
      );
    } finally {
      expect(await running.stop()).toBe(0);
    }
  });
});

describe('node apps/simulator/up.mjs --envoy without an Envoy', () => {
  it('exits 1 and says what to change', async () => {
    const running = new UpProcess('--envoy', '--envoy-program', '/nowhere/envoy');
    expect(await running.ended).toBe(1);
    expect(running.output).toContain(
      '/nowhere/envoy is no Envoy that runs here; --envoy-program FILE names another one',
    );
    expect(running.output).not.toMatch(/\n\s+at /); // a message, and no stack
  });
});
