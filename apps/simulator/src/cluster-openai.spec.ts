import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { startSimulation } from './cluster.ts';
import type { Simulation } from './cluster.ts';

const weather = {
  type: 'function' as const,
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const messages = [{ role: 'user' as const, content: 'How is the weather?' }];

describe('a simulated worker under the openai client', () => {
  let simulation: Simulation;
  let client: OpenAI;

  beforeAll(async () => {
    simulation = await startSimulation({ workers: [{ role: 'decode' }] });
    client = new OpenAI({ baseURL: `${simulation.workers[0]?.url}/v1`, apiKey: 'none', maxRetries: 0 });
  });
  afterAll(() => simulation.close());

  it('completes and streams a chat to the same text', async () => {
    const whole = await client.chat.completions.create({ model: 'm', messages });
    const stream = client.chat.completions.stream({ model: 'm', messages, stream_options: { include_usage: true } });
    expect(await stream.finalContent()).toBe(whole.choices[0]?.message.content);
    expect(whole.choices[0]?.finish_reason).toBe('stop');
    expect(await stream.totalUsage()).toMatchObject({
      prompt_tokens: whole.usage?.prompt_tokens,
      completion_tokens: whole.usage?.completion_tokens,
    });
  });

  it('calls a tool, streamed and whole', async () => {
    const params = { model: 'm', messages, tools: [weather], tool_choice: 'required' as const };
    const whole = await client.chat.completions.create(params);
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'weather', arguments: '{"city":"value"}' } }],
      },
    });
    const streamed = await client.chat.completions.stream(params).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([
      { function: { name: 'weather', arguments: '{"city":"value"}' } },
    ]);
  });

  it('makes n choices with log probabilities', async () => {
    const { choices, usage } = await client.chat.completions.create({
      model: 'm',
      messages,
      n: 2,
      max_completion_tokens: 3,
      logprobs: true,
      top_logprobs: 2,
    });
    expect(choices.map(({ index, finish_reason }) => ({ index, finish_reason }))).toEqual([
      { index: 0, finish_reason: 'length' },
      { index: 1, finish_reason: 'length' },
    ]);
    for (const { message, logprobs } of choices) {
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content);
      expect(logprobs?.content?.every(({ top_logprobs, logprob }) => top_logprobs.length === 2 && logprob < 0)).toBe(
        true,
      );
    }
    expect(usage?.completion_tokens).toBe(6);
  });

  it('completes text with its log probabilities', async () => {
    const { choices, usage } = await client.completions.create({
      model: 'm',
      prompt: 'Once upon a time',
      max_tokens: 4,
      logprobs: 1,
    });
    expect(choices[0]?.logprobs?.tokens?.join('')).toBe(choices[0]?.text);
    expect(choices[0]?.logprobs?.text_offset?.[0]).toBe(0);
    expect(usage).toMatchObject({ completion_tokens: 4 });
  });

  it('answers responses, whole, streamed and with a function call', async () => {
    const whole = await client.responses.create({ model: 'm', input: 'How is the weather?' });
    expect(whole).toMatchObject({ status: 'completed', output: [{ type: 'message' }] });
    const stream = client.responses.stream({ model: 'm', input: 'How is the weather?' });
    expect((await stream.finalResponse()).output_text).toBe(whole.output_text);
    const tool = { type: 'function' as const, ...weather.function, strict: false };
    const call = { model: 'm', input: 'How is the weather?', tools: [tool], tool_choice: 'required' as const };
    expect((await client.responses.stream(call).finalResponse()).output).toMatchObject([
      { type: 'function_call', name: 'weather', arguments: '{"city":"value"}' },
    ]);
  });

  it('reports what its prefix cache held', async () => {
    const prompt = Array.from({ length: 40 }, (_, i) => i + 500);
    const cached = async (): Promise<unknown> =>
      (await client.completions.create({ model: 'm', prompt, max_tokens: 1 })).usage;
    expect(await cached()).toMatchObject({ prompt_tokens: 40, prompt_tokens_details: { cached_tokens: 0 } });
    expect(await cached()).toMatchObject({ prompt_tokens: 40, prompt_tokens_details: { cached_tokens: 32 } });
  });

  it('lists its model, is healthy, and has the gauges that endpoint pickers scrape', async () => {
    const models = await client.models.list();
    expect(models.data.map(({ id }) => id)).toEqual(['sim-model']);
    const url = simulation.workers[0]?.url ?? '';
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const text = await (await fetch(`${url}/metrics`)).text();
    for (const name of ['num_requests_running', 'num_requests_waiting', 'kv_cache_usage_perc']) {
      expect(text).toMatch(new RegExp(`^vllm:${name}\\{engine="0",model_name="sim-model"\\} 0$`, 'm'));
    }
    expect(text).toContain('vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="65536"} 1');
  });

  it('stops generating when the client leaves', async () => {
    const { faults, requests } = simulation;
    faults.set([{ phase: 'decode', kind: 'slow', delay_ms: 20 }]);
    requests.clear();
    const stream = (await client.chat.completions.create({
      model: 'm',
      messages,
      stream: true,
      max_tokens: 2000,
      min_tokens: 2000,
    } as never)) as unknown as AsyncIterable<unknown>; // min_tokens is vLLM's own
    for await (const _ of stream) break;
    const call = await requests.waitFor(({ phase }) => phase === 'decode');
    faults.clear();
    expect(call).toMatchObject({ outcome: 'client-closed' });
    expect(call.events).toBeLessThan(20);
  });
});
