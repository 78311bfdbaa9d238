import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type OpenAI from 'openai';
import type { Phase } from '../../apps/simulator/src/control/fault.schema.ts';
import type { LoggedCall } from '../../apps/simulator/src/control/request-log.ts';
import { png } from '../../apps/simulator/src/media/png.ts';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

/** Milliseconds within which a departed client's calls end (`decisions.md` P9). */
const LIMIT = 1000;
const inline = (red: number): string => `data:image/png;base64,${png(90, 60, [red, 0, 0]).toString('base64')}`;

describe('a client that leaves, through the openai client', () => {
  let stack: Stack;
  let client: OpenAI;

  beforeAll(async () => {
    stack = await startStack();
    client = openAi(stack.url);
  });
  afterEach(() => {
    stack.cluster.faults.clear();
    for (const worker of stack.cluster.workers) worker.prefixCache.clear();
  });
  afterAll(() => stack.stop());

  const chat = {
    model: 'sim-model',
    messages: [
      {
        role: 'user' as const,
        content: [
          { type: 'text' as const, text: 'Tell me in a few plain words what is to be seen in these two pictures.' },
          { type: 'image_url' as const, image_url: { url: inline(1) } },
          { type: 'image_url' as const, image_url: { url: inline(2) } },
        ],
      },
    ],
  };
  const callsOf = (id: string, phase: Phase): LoggedCall[] =>
    stack.cluster.requests.of(id).filter((call) => call.phase === phase);

  async function began(id: string, phase: Phase, count: number): Promise<void> {
    while (callsOf(id, phase).length < count) await sleep(2);
  }

  /** Waits for every call of the phase to end, and says how long after `since` the last one did. */
  async function endedAfter(id: string, phase: Phase, since: number): Promise<number> {
    const calls = callsOf(id, phase);
    await Promise.all(calls.map((one) => stack.cluster.requests.waitFor((call) => call === one)));
    expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'client-closed'));
    return Math.max(...calls.map(({ startedAt, durationMs = Infinity }) => startedAt + durationMs)) - since;
  }

  /** What began later would have done so by the time that another request is served. */
  async function serveAnother(): Promise<void> {
    stack.cluster.faults.clear();
    await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Still there?' }] });
  }

  it.each([
    { phase: 'render', calls: 1, before: [] },
    { phase: 'probe', calls: 1, before: ['render'] },
    { phase: 'encode', calls: 2, before: ['render', 'probe'] },
    { phase: 'prefill', calls: 1, before: ['render', 'probe', 'encode', 'encode'] },
    { phase: 'decode', calls: 1, before: ['render', 'probe', 'encode', 'encode', 'prefill'] },
  ] as const)('has its $phase ended within a second, and nothing begun after it', async ({ phase, calls, before }) => {
    for (const stream of [false, true]) {
      const id = `before-${phase}-${stream}`;
      stack.cluster.faults.set([{ phase, kind: 'stall' }]);
      const leaving = new AbortController();
      const answer = client.chat.completions.create({ ...chat, stream }, { ...withId(id), signal: leaving.signal });
      const failed = expect(answer).rejects.toThrow('aborted');
      await began(id, phase, calls);
      const leftAt = Date.now();
      leaving.abort();
      await failed;
      expect(await endedAfter(id, phase, leftAt)).toBeLessThan(LIMIT);
      await serveAnother();
      const seen = stack.cluster.requests.of(id).map((call) => call.phase);
      expect(seen).toEqual(['client', ...before, ...Array<Phase>(calls).fill(phase)]);
    }
  });

  it.each([
    {
      how: 'aborts its signal',
      leave: (leaving: AbortController) => {
        leaving.abort();
      },
    },
    { how: 'breaks out of the loop', leave: undefined },
  ])('has its stream ended within a second when it $how', async ({ leave }) => {
    const id = `mid-stream-${leave === undefined}`;
    stack.cluster.faults.set([{ phase: 'decode', kind: 'slow', delay_ms: 30 }]);
    const leaving = new AbortController();
    const stream = await client.chat.completions.create(
      { ...chat, stream: true },
      { ...withId(id), signal: leaving.signal },
    );
    let seen = 0;
    let leftAt = 0;
    for await (const _ of stream) {
      seen += 1;
      if (seen < 3) continue;
      leftAt = Date.now();
      if (leave === undefined) break;
      leave(leaving);
    }
    expect(seen).toBe(3);
    expect(await endedAfter(id, 'decode', leftAt)).toBeLessThan(LIMIT);
  });

  it('has a decode that does not stream ended while it computes', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'stall', after_events: 0 }]);
    const leaving = new AbortController();
    const answer = client.chat.completions.create(chat, { ...withId('computing'), signal: leaving.signal });
    const failed = expect(answer).rejects.toThrow('aborted');
    await began('computing', 'decode', 1);
    const leftAt = Date.now();
    leaving.abort();
    await failed;
    expect(await endedAfter('computing', 'decode', leftAt)).toBeLessThan(LIMIT);
  });

  it('has its downloads ended within a second, and nothing begun after them', async () => {
    const origin = createServer().listen(0, '127.0.0.1');
    await once(origin, 'listening');
    const { port } = origin.address() as AddressInfo; // it listens on a port
    const content = [{ type: 'image_url' as const, image_url: { url: `http://127.0.0.1:${port}/never.png` } }];
    const leaving = new AbortController();
    const answer = client.chat.completions.create(
      { model: 'm', messages: [{ role: 'user', content }] },
      { ...withId('downloading'), signal: leaving.signal },
    );
    const failed = expect(answer).rejects.toThrow('aborted');
    const [download] = (await once(origin, 'connection')) as [Socket]; // as Server documents it
    download.resume().on('error', () => undefined);
    const leftAt = Date.now();
    leaving.abort();
    await failed;
    await once(download, 'close');
    expect(Date.now() - leftAt).toBeLessThan(LIMIT);
    origin.close();
    await serveAnother();
    expect(stack.cluster.requests.of('downloading').map(({ phase }) => phase)).toEqual(['client']);
  });

  it('costs the requests beside it nothing', async () => {
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'stall', times: 1 }]);
    const leaving = new AbortController();
    const left = client.chat.completions.create(chat, { ...withId('leaves'), signal: leaving.signal });
    const failed = expect(left).rejects.toThrow('aborted');
    await began('leaves', 'prefill', 1);
    const beside = client.chat.completions.create({ ...chat, stream: true, seed: 1 }, withId('stays'));
    leaving.abort();
    await failed;
    let text = '';
    for await (const { choices } of await beside) text += choices[0]?.delta.content ?? '';
    expect(text).toMatch(/\w/);
    expect(callsOf('stays', 'decode')).toMatchObject([{ outcome: 'complete' }]);
  });
});
