import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type OpenAI from 'openai';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const WHOLE_PIPELINE = 'render, probe 412, prefill, decode';

describe('chat and completions through the openai client', () => {
  let stack: Stack;
  let client: OpenAI;
  /** Past the coordinator, straight to the decode worker: what its answer is to be compared with. */
  let worker: OpenAI;

  beforeAll(async () => {
    stack = await startStack();
    client = openAi(stack.url);
    worker = openAi(stack.url, { defaultHeaders: { 'EPP-Profile': 'decode' } });
  });
  afterAll(() => stack.stop());

  const phases = (id: string): string => phaseNames(stack.cluster.requests.of(id));
  const chat = (topic: string) => ({
    model: 'sim-model',
    messages: [
      { role: 'system' as const, content: 'You answer in plain words, as briefly as the question allows.' },
      { role: 'user' as const, content: `${topic}: tell me in a few words how it is built and why it stays up.` },
    ],
  });

  it('completes a chat to what the worker answers, by way of every phase', async () => {
    const answer = await client.chat.completions.create(chat('A bridge'), withId('chat-whole'));
    expect(phases('chat-whole')).toBe(WHOLE_PIPELINE);
    const direct = await worker.chat.completions.create(chat('A bridge'));
    expect(answer.choices).toEqual(direct.choices);
    expect(answer.usage).toMatchObject({
      prompt_tokens: direct.usage?.prompt_tokens,
      completion_tokens: direct.usage?.completion_tokens,
    });
    expect(answer).toMatchObject({ object: 'chat.completion', model: 'sim-model' });
  });

  it('streams the same text in one event for each token, and then its end', async () => {
    const stream = await client.chat.completions.create(
      { ...chat('A tower'), stream: true, max_tokens: 20 },
      withId('chat-stream'),
    );
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk.choices[0]);
    expect(phases('chat-stream')).toBe(WHOLE_PIPELINE);
    const direct = await worker.chat.completions.create({ ...chat('A tower'), max_tokens: 20 });
    expect(chunks.map((choice) => choice?.delta.content ?? '').join('')).toBe(direct.choices[0]?.message.content);
    expect(chunks).toHaveLength(22); // the role, the tokens, and the reason of the end
    expect(chunks.map((choice) => choice?.finish_reason).filter(Boolean)).toEqual(['length']);
  });

  it('answers a chat sent again from the cache, by the probe alone', async () => {
    const first = await client.chat.completions.create(chat('A dam'), withId('again-1'));
    const second = await client.chat.completions.create(chat('A dam'), withId('again-2'));
    expect(phases('again-2')).toBe('render, probe hit');
    expect(second.choices).toEqual(first.choices);
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(0);
  });

  it('reports usage at the end of a stream when it is asked for, and only then', async () => {
    const usages = async (options: { stream_options?: { include_usage: boolean } }): Promise<unknown[]> => {
      const found = [];
      const stream = await client.chat.completions.create({ ...chat('A pier'), stream: true, ...options });
      for await (const chunk of stream) if (chunk.usage !== undefined && chunk.usage !== null) found.push(chunk.usage);
      return found;
    };
    const { usage } = await worker.chat.completions.create(chat('A pier'));
    const { prompt_tokens, completion_tokens, total_tokens } = usage ?? {};
    expect(await usages({})).toEqual([]);
    expect(await usages({ stream_options: { include_usage: true } })).toMatchObject([
      { prompt_tokens, completion_tokens, total_tokens },
    ]);
  });

  it('makes n choices with log probabilities, the same whole and streamed', async () => {
    const params = { ...chat('A wall'), n: 2, logprobs: true, top_logprobs: 2, max_completion_tokens: 6 };
    const whole = await client.chat.completions.create(params, withId('n-whole'));
    expect(phases('n-whole')).toBe(WHOLE_PIPELINE);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1]);
    for (const { message, logprobs } of whole.choices) {
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content);
      expect(logprobs?.content?.every(({ top_logprobs: top }) => top.length === 2)).toBe(true);
    }
    const streamed = await client.chat.completions.stream(params).finalChatCompletion();
    expect(streamed.choices.map(({ message }) => message.content)).toEqual(
      whole.choices.map(({ message }) => message.content),
    );
    expect(streamed.choices.map(({ logprobs }) => logprobs?.content)).toEqual(
      whole.choices.map(({ logprobs }) => logprobs?.content),
    );
  });

  it('completes a text prompt, whole and streamed, as the worker does', async () => {
    const prompt =
      'Once upon a time, in a small house by a river, there lived an old cook and her three grey cats, who';
    const params = { model: 'sim-model', prompt, max_tokens: 12 };
    const whole = await client.completions.create({ ...params, logprobs: 1 }, withId('comp-whole'));
    expect(phases('comp-whole')).toBe(WHOLE_PIPELINE);
    const direct = await worker.completions.create({ ...params, logprobs: 1 });
    expect(whole.choices).toEqual(direct.choices);
    const stream = await client.completions.create({
      ...params,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(direct.choices[0]?.text);
    expect(usage).toMatchObject({ prompt_tokens: direct.usage?.prompt_tokens, completion_tokens: 12 });
  });

  it('completes a prompt of token ids without asking render', async () => {
    const prompt = Array.from({ length: 40 }, (_, i) => 1000 + i);
    const { choices } = await client.completions.create({ model: 'sim-model', prompt }, withId('comp-ids'));
    expect(phases('comp-ids')).toBe('probe 412, prefill, decode');
    expect(choices).toEqual((await worker.completions.create({ model: 'sim-model', prompt })).choices);
  });
});
