import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { statusOf } from './support/coordinator.process.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const chat = (tokens: number): object => ({
  model: 'm',
  stream: true,
  max_tokens: tokens,
  ignore_eos: true,
  messages: [{ role: 'user', content: 'Tell me in a few plain words how a day ends, and what comes after it.' }],
});

describe('a coordinator that is told to stop', () => {
  let stack: Stack;
  let stopped = false;
  afterEach(async () => {
    if (!stopped) await stack.stop().catch(() => undefined); // the test has said how it ended
    stopped = false;
  });

  /** Settles when nobody listens any more. */
  async function closed(): Promise<void> {
    while ((await statusOf(`${stack.coordinatorUrl}/healthz`)) !== undefined) await sleep(10);
  }

  it('finishes a stream that runs, takes no new connection meanwhile, and exits 0', async () => {
    stack = await startStack({ cluster: { timing: { itl_ms: 25 } } });
    const answer = await openChat(stack.coordinatorUrl, chat(60));
    await readFirstEvent(answer);
    stack.coordinator.signal('SIGTERM');
    await closed();
    const [text, ending] = await Promise.all([readText(answer), stack.coordinator.ended]);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(ending.code).toBe(0);
  });

  it('ends what is left at shutdown_timeout with an error event and no [DONE], and exits 0', async () => {
    stack = await startStack({ cluster: { timing: { itl_ms: 25 } }, server: { shutdown_timeout: '500ms' } });
    const answer = await openChat(stack.coordinatorUrl, chat(2000));
    await readFirstEvent(answer);
    let text = '';
    answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const broken = new Promise((resolve) => answer.once('error', resolve));
    const began = Date.now();
    stack.coordinator.signal('SIGTERM');
    await broken;
    expect((await stack.coordinator.ended).code).toBe(0);
    expect(Date.now() - began).toBeLessThan(3000);
    const last = text.split('\n\n').at(-2) ?? '';
    expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ error: { code: 'draining' } });
    expect(text).not.toContain('[DONE]');
  });

  it('is not ready but serves on during drain_delay', async () => {
    stack = await startStack({ server: { drain_delay: '1500ms' } });
    stack.coordinator.signal('SIGTERM');
    while ((await statusOf(`${stack.coordinatorUrl}/readyz`)) !== 503) await sleep(10);
    expect(await statusOf(`${stack.coordinatorUrl}/healthz`)).toBe(200);
    expect(await readText(await openChat(stack.coordinatorUrl, chat(3)))).toContain('[DONE]');
    expect((await stack.coordinator.ended).code).toBe(0);
  });

  it.each([
    { signal: 'SIGINT', code: 130, workers: 1 },
    { signal: 'SIGTERM', code: 143, workers: 1 },
    { signal: 'SIGINT', code: 130, workers: 2 },
  ] as const)('ends at once at the second $signal, with $workers workers', async ({ signal, code, workers }) => {
    stack = await startStack({ cluster: { timing: { itl_ms: 25 } }, server: { workers } });
    const answer = await openChat(stack.coordinatorUrl, chat(2000));
    await readFirstEvent(answer);
    stack.coordinator.signal(signal);
    await closed();
    const again = Date.now();
    stack.coordinator.signal(signal);
    expect(await stack.coordinator.ended).toEqual({ code, signal: null });
    expect(Date.now() - again).toBeLessThan(1000);
  });
});
