import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import type { InferenceApi } from './inference-api.ts';
import { samplingOf } from './sampling.ts';

const tools = [
  { type: 'function', function: { name: 'first', parameters: {} } },
  {
    type: 'function',
    function: {
      name: 'second',
      parameters: {
        type: 'object',
        properties: {
          unit: { enum: ['C', 'F'] },
          days: { type: 'integer' },
          exact: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          place: { type: 'object', properties: { city: { type: 'string' } } },
          none: { type: 'null' },
          any: {},
        },
      },
    },
  },
];

describe('samplingOf', () => {
  const limits: { api: InferenceApi; body: JsonObject; maxTokens: number | undefined }[] = [
    { api: 'chat', body: {}, maxTokens: undefined },
    { api: 'chat', body: { max_tokens: null }, maxTokens: undefined },
    { api: 'chat', body: { max_tokens: 5 }, maxTokens: 5 },
    { api: 'chat', body: { max_tokens: 5, max_completion_tokens: 6 }, maxTokens: 6 },
    { api: 'completions', body: {}, maxTokens: 16 },
    { api: 'completions', body: { max_completion_tokens: 6 }, maxTokens: 16 },
    { api: 'responses', body: { max_output_tokens: 7 }, maxTokens: 7 },
    { api: 'generate', body: { max_tokens: 9 }, maxTokens: 16 },
    { api: 'generate', body: { sampling_params: { max_tokens: 8 } }, maxTokens: 8 },
  ];
  it.each(limits)('limits $api with $body to $maxTokens tokens', ({ api, body, maxTokens }) => {
    expect(samplingOf(api, body).maxTokens).toBe(maxTokens);
  });

  const logprobs: { api: InferenceApi; body: JsonObject; top: number | undefined }[] = [
    { api: 'chat', body: { top_logprobs: 3 }, top: undefined },
    { api: 'chat', body: { logprobs: true }, top: 0 },
    { api: 'chat', body: { logprobs: true, top_logprobs: 3 }, top: 3 },
    { api: 'completions', body: { logprobs: 2 }, top: 2 },
    { api: 'generate', body: { sampling_params: { logprobs: 1 } }, top: 1 },
  ];
  it.each(logprobs)('lists $top alternatives for $api with $body', ({ api, body, top }) => {
    expect(samplingOf(api, body).topLogprobs).toBe(top);
  });

  const refused: { api: InferenceApi; body: JsonObject; says: string }[] = [
    { api: 'chat', body: { max_tokens: 0 }, says: 'max_tokens must be an integer of at least 1' },
    { api: 'chat', body: { max_tokens: '5' }, says: 'max_tokens must be an integer' },
    { api: 'chat', body: { n: 0 }, says: 'n must be an integer of at least 1' },
    { api: 'chat', body: { max_tokens: 2, min_tokens: 3 }, says: 'min_tokens is 3, the limit is 2' },
    {
      api: 'chat',
      body: { stream_options: { include_usage: true } },
      says: 'stream_options can only be set with stream',
    },
    { api: 'chat', body: { tool_choice: 'required' }, says: 'tool_choice asks for a tool' },
    {
      api: 'chat',
      body: { tools, tool_choice: { type: 'function', function: { name: 'third' } } },
      says: 'asks for third',
    },
  ];
  it.each(refused)('refuses $api with $body', ({ api, body, says }) => {
    expect(() => samplingOf(api, body)).toThrow(says);
  });

  it.each([
    { choice: undefined, name: undefined },
    { choice: 'auto', name: undefined },
    { choice: 'none', name: undefined },
    { choice: 'required', name: 'first' },
    { choice: { type: 'function', function: { name: 'second' } }, name: 'second' },
  ])('calls $name for the tool_choice $choice', ({ choice, name }) => {
    expect(samplingOf('chat', { tools, tool_choice: choice }).tool?.name).toBe(name);
  });

  it('fills every property of the schema, in its order', () => {
    const tool_choice = { type: 'function', function: { name: 'second' } };
    expect(samplingOf('chat', { tools, tool_choice }).tool?.argumentsText).toBe(
      '{"unit":"C","days":7,"exact":true,"tags":["value"],"place":{"city":"value"},"none":null,"any":"value"}',
    );
  });

  it('finds tools of responses, which have no function object', () => {
    const body = {
      tools: [{ type: 'function', name: 'f', parameters: {} }],
      tool_choice: { type: 'function', name: 'f' },
    };
    expect(samplingOf('responses', body).tool?.name).toBe('f');
  });
});
