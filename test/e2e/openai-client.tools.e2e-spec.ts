import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type OpenAI from 'openai';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

/** In an order that sorting would change: strict tools generate their arguments in the order of the schema. */
const properties = {
  zone: { type: 'string' },
  city: { type: 'string' },
  days: { type: 'integer' },
  exact: { type: 'boolean' },
};
const weather = {
  name: 'weather',
  description: 'Looks the weather up.',
  parameters: { type: 'object', properties, required: ['zone', 'city'] },
};
const ARGUMENTS = '{"zone":"value","city":"value","days":7,"exact":true}';
const messages = [{ role: 'user' as const, content: 'How is the weather in the next few days, and where is it warm?' }];

describe('tools through the openai client', () => {
  let stack: Stack;
  let client: OpenAI;

  beforeAll(async () => {
    stack = await startStack();
    client = openAi(stack.url);
  });
  afterAll(() => stack.stop());

  const params = {
    model: 'sim-model',
    messages,
    tools: [{ type: 'function' as const, function: weather }],
    tool_choice: { type: 'function' as const, function: { name: 'weather' } },
  };

  it('calls a tool that the request names, with its arguments as one text', async () => {
    const { choices } = await client.chat.completions.create(params);
    expect(choices).toMatchObject([
      {
        finish_reason: 'tool_calls',
        message: {
          content: null,
          tool_calls: [{ type: 'function', function: { name: 'weather', arguments: ARGUMENTS } }],
        },
      },
    ]);
  });

  it('streams the arguments in pieces that make the same text', async () => {
    const stream = await client.chat.completions.create({ ...params, stream: true });
    const pieces: string[] = [];
    const reasons: unknown[] = [];
    for await (const { choices } of stream) {
      const call = choices[0]?.delta.tool_calls?.[0];
      if (call?.function?.arguments !== undefined) pieces.push(call.function.arguments);
      if (typeof choices[0]?.finish_reason === 'string') reasons.push(choices[0].finish_reason);
    }
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(ARGUMENTS);
    expect(reasons).toEqual(['tool_calls']);
  });

  it('has the client put a streamed call together', async () => {
    const { choices } = await client.chat.completions.stream(params).finalChatCompletion();
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'weather', arguments: ARGUMENTS } }]);
  });

  it('takes the result of a call back', async () => {
    const { choices } = await client.chat.completions.create(params);
    const call = choices[0]?.message;
    if (call?.tool_calls?.[0] === undefined) throw new Error('no tool was called');
    const result = { role: 'tool' as const, tool_call_id: call.tool_calls[0].id, content: '{"celsius":21}' };
    const answer = await client.chat.completions.create({ model: 'sim-model', messages: [...messages, call, result] });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { role: 'assistant' } });
  });

  it.each(['prefill', 'decode'] as const)(
    'hands %s the schema with its keys in the order of the client',
    async (phase) => {
      const question = [
        { role: 'user' as const, content: `${phase}: what is the weather like this evening, and where does it rain?` },
      ];
      await client.chat.completions.create({ ...params, messages: question }, withId(`order-${phase}`));
      const call = stack.cluster.requests.of(`order-${phase}`).find((seen) => seen.phase === phase);
      // what this test sent
      const body = call?.body as { tools: { function: { parameters: { properties: object } } }[] } | undefined;
      expect(Object.keys(body?.tools[0]?.function.parameters.properties ?? {})).toEqual(Object.keys(properties));
    },
  );
});
