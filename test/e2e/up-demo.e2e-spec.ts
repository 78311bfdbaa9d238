import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isFree } from './support/free-port.ts';
import { UP_PORTS, UpProcess, freeOffset } from './support/up.process.ts';

const COORDINATOR = 8080;
const LIMIT_MS = 60_000;

describe('node apps/simulator/up.mjs --demo', () => {
  let offset: number;

  beforeAll(async () => {
    offset = await freeOffset();
  });

  it(
    'sends three requests, shows the phases of each, and exits 0',
    async () => {
      const { code, output } = await up('--demo', '--port-offset', String(offset));
      expect({ code, output }).toMatchObject({ code: 0 });
      const [, first = '', second = '', third = ''] = output.split(/^\d\. /m);
      for (const answer of [first, second, third]) expect(words(answer)).toBeGreaterThan(10);
      expect(first).toMatch(/render \d+ms · probe 412 \d+ms · prefill \d+ms · decode ttft \d+ms, \d+ events, \d+ms/);
      expect(second).toMatch(/render \d+ms · probe hit ttft \d+ms/);
      expect(second).not.toContain('prefill');
      expect(third).toMatch(/probe 412 \d+ms · encode×2 \d+ms · prefill \d+ms · decode/);
      expect(output).toContain('All three took the phases they should.');
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
