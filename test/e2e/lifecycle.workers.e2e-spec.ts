import { once } from 'node:events';
import { Agent, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { childrenOf, holders, isRunning } from './support/process-tree.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const STARTS_WITHIN_MS = 30_000;
const chat = (topic: string, tokens: number): object => ({
  model: 'm',
  stream: true,
  max_tokens: tokens,
  ignore_eos: true,
  messages: [{ role: 'user', content: `${topic}: tell me in a few plain words how it came about and why.` }],
});

describe('server.workers: 2', () => {
  let stack: Stack;
  let agent: Agent;
  beforeEach(async () => {
    agent = new Agent({ keepAlive: true });
    stack = await startStack({ server: { workers: 2 }, cluster: { timing: { itl_ms: 20 } } });
  });
  afterEach(async () => {
    agent.destroy();
    await stack.stop().catch(() => undefined); // tests that stop it say how it ended
  });

  const workers = (): number[] => childrenOf(stack.coordinator.pid);

  /** Has 40 new connections answered; the workers that hold them. */
  async function answering(): Promise<number[]> {
    agent.destroy();
    await Promise.all(
      Array.from({ length: 40 }, async () => {
        const [response] = (await once(get(`${stack.coordinatorUrl}/healthz`, { agent }), 'response')) as [
          IncomingMessage,
        ]; // as ClientRequest documents it
        expect(response.resume().statusCode).toBe(200);
      }),
    );
    return holders(Number(new URL(stack.coordinatorUrl).port), workers());
  }

  /** The two workers, once both answer: one is ready before the other. @throws Error when that takes too long */
  async function bothAnswering(): Promise<[number, number]> {
    const deadline = Date.now() + STARTS_WITHIN_MS;
    for (;;) {
      const [first, second] = await answering();
      if (first !== undefined && second !== undefined) return [first, second];
      if (Date.now() > deadline) throw new Error(`of ${workers().length} workers not two answer`);
      await sleep(100);
    }
  }

  it('serves with both processes', async () => {
    expect((await bothAnswering()).toSorted()).toEqual(workers().toSorted());
    const texts = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => readText(await openChat(stack.url, chat(`Thing ${i}`, 5)))),
    );
    for (const text of texts) expect(text).toMatch(/data: \[DONE\]\n\n$/);
  });

  it('ends both with SIGTERM when their streams are finished, and exits 0', async () => {
    const both = await bothAnswering();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => openChat(stack.coordinatorUrl, chat(`Thing ${i}`, 50))),
    );
    await Promise.all(answers.map(readFirstEvent));
    const texts = answers.map(readText);
    await stack.stop(); // it exits with 0, or this throws
    for (const text of await Promise.all(texts)) expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(both.filter(isRunning)).toEqual([]);
  });

  it('starts a killed worker again, and goes on serving', async () => {
    const [killed, left] = await bothAnswering();
    process.kill(killed, 'SIGKILL');
    while (isRunning(killed)) await sleep(5);
    expect(await readText(await openChat(stack.coordinatorUrl, chat('In between', 5)))).toContain('[DONE]');
    const serving = await bothAnswering();
    expect(serving).toContain(left);
    expect(serving).not.toContain(killed);
  });

  it('ends its workers when it is killed itself', async () => {
    const both = await bothAnswering();
    stack.coordinator.signal('SIGKILL');
    await stack.coordinator.ended;
    const deadline = Date.now() + 5000;
    while (both.some(isRunning) && Date.now() < deadline) await sleep(20);
    expect(both.filter(isRunning)).toEqual([]);
  });
});
