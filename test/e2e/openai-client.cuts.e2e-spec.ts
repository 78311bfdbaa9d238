import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI from 'openai';
import { openAi } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const QUESTION = 'Tell me in a few plain words how a ship is built, and why it does not turn over in a strong wind.';
const chat = { model: 'sim-model', messages: [{ role: 'user' as const, content: QUESTION }] };

describe('an answer that breaks off, through the openai client', () => {
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

  /** The events that came, and what ended them. */
  async function drain(stream: AsyncIterable<unknown>): Promise<{ events: string; error: unknown }> {
    const events: unknown[] = [];
    try {
      for await (const event of stream) events.push(event);
      return { events: JSON.stringify(events), error: undefined };
    } catch (error) {
      return { events: JSON.stringify(events), error };
    }
  }

  const breaks = (['cut', 'reset'] as const).flatMap((kind) =>
    [false, true].map((mid_event) => ({ kind, mid_event, after_events: 4, phase: 'decode' as const })),
  );

  describe.each(breaks)('by a $kind, in the middle of an event: $mid_event', (fault) => {
    it.each([
      { api: 'chat', open: () => client.chat.completions.create({ ...chat, stream: true }) },
      { api: 'completions', open: () => client.completions.create({ model: 'm', prompt: QUESTION, stream: true }) },
      { api: 'responses', open: () => client.responses.create({ model: 'm', input: QUESTION, stream: true }) },
    ])('is an error after the events of $api that were whole, and no end', async ({ open }) => {
      stack.cluster.faults.set([fault]);
      const { events, error } = await drain(await open());
      expect(error).toBeDefined();
      expect(JSON.parse(events)).toHaveLength(4);
      expect(events).not.toMatch(/"finish_reason":"|response\.completed/);
    });

    it('is no finished message of the stream helper', async () => {
      stack.cluster.faults.set([fault]);
      const ended: string[] = [];
      const stream = client.chat.completions
        .stream(chat)
        .on('finalChatCompletion', () => ended.push('final'))
        .on('error', () => ended.push('error'));
      await expect(stream.finalChatCompletion()).rejects.toThrow();
      expect(ended).toEqual(['error']);
    });
  });

  it('is the error that the coordinator names, when it happens between two events', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'reset', after_events: 4 }]);
    const { error } = await drain(await client.chat.completions.create({ ...chat, stream: true }));
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ code: 'upstream_unreachable', type: 'api_error' });
  });

  it('is an error after the head of a stream that has had no event', async () => {
    stack.cluster.faults.set([{ phase: 'decode', kind: 'cut', after_events: 0 }]);
    const { events, error } = await drain(await client.chat.completions.create({ ...chat, stream: true }));
    expect(events).toBe('[]');
    expect(error).toMatchObject({ code: 'upstream_unreachable' });
  });

  it.each(['cut', 'reset'] as const)(
    'is an error in a buffered answer that ends in its middle by a %s',
    async (kind) => {
      stack.cluster.faults.set([{ phase: 'decode', kind, after_events: 0 }]);
      await expect(client.chat.completions.create(chat)).rejects.toThrow();
      await expect(client.responses.create({ model: 'm', input: `Again: ${QUESTION} Why?` })).rejects.toThrow();
    },
  );

  it('is an APIConnectionError when the coordinator is gone', async () => {
    const gone = await startStack();
    const own = openAi(gone.coordinatorUrl);
    await own.chat.completions.create(chat);
    await gone.stop();
    await expect(own.chat.completions.create(chat)).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
    await expect(own.models.list()).rejects.toBeInstanceOf(OpenAI.APIConnectionError);
  });

  it('is an error when the coordinator dies in the middle of a stream', async () => {
    const dying = await startStack({ cluster: { timing: { itl_ms: 20 } } });
    try {
      const stream = await openAi(dying.url).chat.completions.create({ ...chat, stream: true });
      const seen: unknown[] = [];
      const reading = (async () => {
        for await (const { choices } of stream) {
          seen.push(choices[0]?.finish_reason);
          if (seen.length === 3) dying.coordinator.signal('SIGKILL');
        }
      })();
      await expect(reading).rejects.toThrow();
      expect(seen.every((reason) => reason === null)).toBe(true);
    } finally {
      await dying.stop().catch(() => undefined); // it was killed
    }
  });
});
