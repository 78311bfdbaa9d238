import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isFree } from './support/free-port.ts';
import { UP_PORTS, UpProcess, freeOffset } from './support/up.process.ts';

const COORDINATOR = 8080;
const LIMIT_MS = 60_000;
const COLD =
  /render \d+ms · probe 412 \d+ms · prefill → prefill-\d \d+ms · decode → (decode-\d) ttft \d+ms, \d+ events, \d+ms/;

describe('node apps/simulator/up.mjs --demo', () => {
  let offset: number;

  beforeAll(async () => {
    offset = await freeOffset();
  });

  it(
    'sends three requests, shows the phases of each and the pods that the picker chose, and exits 0',
    async () => {
      const { code, output } = await up('--demo', '--port-offset', String(offset));
      expect({ code, output }).toMatchObject({ code: 0 });
      const [, first = '', second = '', third = ''] = output.split(/^\d\. /m);
      for (const answer of [first, second, third]) expect(words(answer)).toBeGreaterThan(10);
      const [, decode = ''] = COLD.exec(first) ?? [];
      expect(first).toMatch(COLD);
      // of two decode pods it is the one that has the prompt
      expect(second).toMatch(new RegExp(`render \\d+ms · probe hit → ${decode} ttft \\d+ms`));
      expect(second).not.toContain('prefill');
      expect(third).toMatch(
        /probe 412 \d+ms · encode×2 → encode-\d\S* .*\d+ms · prefill → prefill-\d \d+ms · decode →/,
      );
      expect(output).toContain('All 3 took the phases they should.');
      expect(output.trimEnd()).toMatch(/Stopped\.$/);
    },
    LIMIT_MS,
  );

  it('leaves its ports free', async () => {
    expect(await Promise.all(UP_PORTS.map((port) => isFree(port + offset)))).toEqual(UP_PORTS.map(() => true));
  });

  it(
    'exits 1 and names the port and the flag when a port is taken',
    async () => {
      const port = COORDINATOR + offset;
      const other = createServer().listen(port, '127.0.0.1');
      await once(other, 'listening');
      try {
        const { code, output } = await up('--demo', '--port-offset', String(offset));
        expect({ code, output }).toMatchObject({ code: 1 });
        expect(output).toContain(`port ${port} is taken; coordinator wants it`);
        expect(output).toContain('--port coordinator=');
        expect(output).not.toMatch(/\n\s+at /); // a message, and no stack
      } finally {
        other.close();
      }
    },
    LIMIT_MS,
  );
});

describe('node apps/simulator/up.mjs', () => {
  it(
    'has the endpoint picker asked about every phase, says in a line which pod served it, and exits 0 at SIGTERM',
    async () => {
      const offset = await freeOffset();
      const running = new UpProcess('--port-offset', String(offset), '--no-prometheus');
      try {
        await running.says('Ready.');
        const answer = await fetch(`http://127.0.0.1:${8000 + offset}/v1/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-request-id': 'up-1' },
          body: JSON.stringify({ model: 'm', prompt: 'how is a pod found? '.repeat(30), max_tokens: 3 }),
        });
        expect(answer.status).toBe(200);
        await running.says('ms in all');
        const line = running.output.split('\n').find((text) => text.includes(' up-1 POST /v1/completions m 200 · '));
        const { decisions } = (await (await fetch(`http://127.0.0.1:${9092 + offset}/admin/decisions`)).json()) as {
          decisions: Decision[]; // the page's shape
        };
        // the latest first: decode, prefill, and the probe that it answered itself
        expect(decisions.map(({ requestId, primary }) => [requestId, primary])).toEqual([
          ['up-1', 'decode'],
          ['up-1', 'prefill'],
          ['up-1', 'decode'],
        ]);
        const [decode, prefill] = decisions.map(({ profiles }) => profiles[0]?.picked[0]?.replace('default/', ''));
        expect(line).toMatch(new RegExp(` · probe 412 .* · prefill → ${prefill} .* · decode → ${decode} `));
      } finally {
        expect(await running.stop()).toBe(0);
      }
    },
    LIMIT_MS,
  );
});

/** Of a decision, what is looked at here. */
interface Decision {
  readonly requestId: string;
  readonly primary: string;
  readonly profiles: readonly { readonly picked: readonly string[] }[];
}

/** Runs it to its end. */
async function up(...args: string[]): Promise<{ code: number | null; output: string }> {
  const running = new UpProcess(...args);
  const code = await running.ended;
  return { code, output: running.output };
}

/** Words of an answer, before the line of its phases. */
function words(answer: string): number {
  return answer.split(' · ', 1)[0]?.split(/\s+/).length ?? 0;
}
