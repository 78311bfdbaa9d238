import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LoggedCall } from '../../apps/simulator/src/control/request-log.ts';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { watched } from './support/process-watch.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';
import { openChat, readFirstEvent, readText } from './support/streaming.client.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const MIB = 1024 * 1024;

/** A chat whose answer has exactly so many tokens. */
function chatOf(topic: string, tokens: number): object {
  const content = `${topic}: tell me in a few plain words how it came about, and what became of it in the end.`;
  const length = { max_tokens: tokens, ignore_eos: true };
  return { model: 'm', stream: true, ...length, messages: [{ role: 'user', content }] };
}

/** The worker names its model in every event: that makes them 2 KB each, at no cost to the worker. */
function wordyChatOf(topic: string, tokens: number): object {
  return { ...chatOf(topic, tokens), model: 'long-name-'.repeat(180) };
}

describe('200 streams at once', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ cluster: { timing: { itl_ms: 10 } } });
  });
  afterAll(() => stack.stop());

  it('reach their clients with every byte that the worker sent, in bounded memory', async () => {
    const ask = (count: number, url: string, topic: string, profile: Record<string, string> = {}): Promise<string[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, i) => {
          const headers = { 'x-request-id': `stream-${i}`, ...profile };
          return readText(await openChat(url, chatOf(`${topic} ${i}`, 37), headers));
        }),
      );
    await ask(50, stack.coordinatorUrl, 'Warm-up');
    const idle = stack.rssMiB();
    let texts: string[] = [];
    const seen = await watched(stack, async () => {
      texts = await ask(200, stack.coordinatorUrl, 'Thing');
    });
    expect(texts.map((text) => text.match(/\n\n/g)?.length)).toEqual(texts.map(() => 40));
    const sent = await ask(200, stack.url, 'Thing', { 'EPP-Profile': 'decode' });
    expect(texts.map(withoutTime)).toEqual(sent.map(withoutTime));
    // 40 KiB for each stream, and what has not been collected
    expect(seen.peakMiB - idle).toBeLessThan(8 + 32);
    expect(seen.failures).toBe(0);
  });
});

describe('a client that does not read a stream of 64 MiB', () => {
  let stack: Stack;
  afterEach(() => stack.stop());

  const TOKENS = 40_000;
  const decodeOf = (id: string): LoggedCall | undefined =>
    stack.cluster.requests.of(id).find(({ phase }) => phase === 'decode');

  it('holds the worker back without being held in memory, and gets every byte when it reads at last', async () => {
    stack = await startStack();
    await readText(await openChat(stack.coordinatorUrl, chatOf('Warm-up', 10)));
    const idle = stack.rssMiB();
    const answer = await openChat(stack.coordinatorUrl, wordyChatOf('Held', TOKENS), { 'x-request-id': 'held' });
    let held = 0;
    const { peakMiB } = await watched(stack, async () => {
      held = await untilSteady(() => decodeOf('held')?.events ?? 0);
    });
    expect(peakMiB - idle).toBeLessThan(48);
    const text = await readText(answer);
    expect(text.length).toBeGreaterThan(64 * MIB);
    expect(text.match(/^data: /gm)).toHaveLength(TOKENS + 3); // the role, the reason of the end, and [DONE]
    const sentMiB = ((held / TOKENS) * text.length) / MIB;
    expect(sentMiB).toBeLessThan(32);
    expect(decodeOf('held')).toMatchObject({ outcome: 'complete' });
  });

  it('is dropped after write_stall_timeout, and the call to the worker with it', async () => {
    stack = await startStack({ server: { write_stall_timeout: '1s' } });
    await readText(await openChat(stack.coordinatorUrl, chatOf('Warm-up', 10)));
    const idle = stack.rssMiB();
    const { peakMiB } = await watched(stack, async () => {
      await openChat(stack.coordinatorUrl, wordyChatOf('Dropped', TOKENS), { 'x-request-id': 'dropped' });
      const call = await stack.cluster.requests.waitFor(
        ({ requestId, phase }) => requestId === 'dropped' && phase === 'decode',
        10_000,
      );
      expect(call).toMatchObject({ outcome: 'client-closed' });
      expect(call.durationMs).toBeLessThan(6000);
      expect(call.events).toBeLessThan(TOKENS / 2);
    });
    expect(peakMiB - idle).toBeLessThan(48);
  });
});

describe('clients that leave in the middle of their streams', () => {
  const KEPT = 8;
  let stack: Stack;
  let descriptorsBefore: number;
  afterEach(() => stack.stop());

  async function start(timing: { itl_ms: number }): Promise<void> {
    stack = await startStack({
      cluster: { timing, max_num_seqs: 1000 },
      gateway: { max_idle_conns_per_host: KEPT },
      params: { render: { max_idle_conns_per_host: KEPT } },
    });
    await readText(await openChat(stack.coordinatorUrl, chatOf('Warm-up', 3)));
    descriptorsBefore = descriptors();
  }
  const open = (): LoggedCall[] => stack.cluster.requests.all().filter(({ outcome }) => outcome === undefined);
  const descriptors = (): number => readdirSync(`/proc/${stack.coordinator.pid}/fd`).length;

  async function expectNothingStranded(): Promise<void> {
    const deadline = Date.now() + 1000;
    while (open().length > 0 && Date.now() < deadline) await sleep(10);
    expect(open().map(({ phase }) => phase)).toEqual([]);
    const began = Date.now();
    const next = await openChat(stack.coordinatorUrl, chatOf('The next one', 3), { 'x-request-id': 'next' });
    expect(await readText(next)).toMatch(/data: \[DONE\]\n\n$/);
    expect(Date.now() - began).toBeLessThan(1000);
    expect(phaseNames(stack.cluster.requests.of('next'))).toBe('render, probe 412, prefill, decode');
    // those to gateway and render that are kept for the next call, and the last client's
    expect(descriptors()).toBeLessThanOrEqual(descriptorsBefore + 2 * KEPT + 1);
    for (const { url } of stack.cluster.workers) {
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    }
  }

  it('strand nothing, 300 of them that read', async () => {
    await start({ itl_ms: 50 });
    await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const answer = await openChat(stack.coordinatorUrl, chatOf(`Client ${i}`, 2000));
        await readFirstEvent(answer);
        answer.destroy();
      }),
    );
    expect(stack.cluster.requests.phase('decode')).toHaveLength(301);
    await expectNothingStranded();
  });

  it('strand nothing, 16 of them that do not read, so that the relay to them is halted', async () => {
    await start({ itl_ms: 0 });
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => openChat(stack.coordinatorUrl, wordyChatOf(`Client ${i}`, 10_000))),
    );
    const sent = (): number => stack.cluster.requests.phase('decode').reduce((sum, { events }) => sum + events, 0);
    await untilSteady(sent);
    expect(open()).toHaveLength(16);
    for (const answer of answers) answer.destroy();
    await expectNothingStranded();
  });
});

/** The count, when it has been the same for half a second. */
async function untilSteady(count: () => number): Promise<number> {
  for (let before = 0; ;) {
    const found = count();
    if (found > 0 && found === before) return found;
    before = found;
    await sleep(500);
  }
}

/** The worker puts the second of its answer into each event. */
function withoutTime(text: string): string {
  return text.replaceAll(/"created":\d+/g, '"created":0');
}
