import { describe, expect, it } from '@jest/globals';
import { tokenize } from '../render/tokenizer.ts';
import { generate } from './generated-text.ts';
import type { Choice } from './generated-text.ts';
import { samplingOf } from './sampling.ts';

const prompt = { tokenIds: [9, 14, 6, 3], items: [] };
const chat = (body: Record<string, unknown>): Choice[] => generate(prompt, samplingOf('chat', body));
const text = (choice: Choice | undefined): string => choice?.tokens.map((token) => token.text).join('') ?? '';

describe('generate', () => {
  it('says the same to the same prompt, and something else to another', () => {
    expect(chat({})).toEqual(chat({}));
    expect(text(generate({ tokenIds: [9, 14, 6, 4], items: [] }, samplingOf('chat', {}))[0])).not.toBe(
      text(chat({})[0]),
    );
  });

  it('makes text whose tokens are its own tokens', () => {
    const [choice] = chat({ min_tokens: 300 });
    expect(choice?.tokens.length).toBe(300);
    expect(tokenize(text(choice))).toEqual(choice?.tokens.map(({ id }) => id));
  });

  it('gives each of n choices a text of its own', () => {
    const choices = chat({ n: 3, max_tokens: 20 });
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(new Set(choices.map(text)).size).toBe(3);
  });

  it.each([
    { body: { max_tokens: 3 }, length: 3, finishReason: 'length' },
    { body: { max_tokens: 99, max_completion_tokens: 4 }, length: 4, finishReason: 'length' },
    { body: { max_tokens: 200, ignore_eos: true }, length: 200, finishReason: 'length' },
    { body: { max_tokens: 500, min_tokens: 100 }, length: 100, finishReason: 'stop' },
  ])('ends $body after $length tokens by $finishReason', ({ body, length, finishReason }) => {
    expect(chat(body)).toMatchObject([{ finishReason, tokens: { length } }]);
  });

  it('stops by itself between 24 and 63 tokens when nothing limits it', () => {
    const [choice] = chat({});
    expect(choice?.finishReason).toBe('stop');
    expect(choice?.tokens.length).toBeGreaterThanOrEqual(24);
    expect(choice?.tokens.length).toBeLessThan(64);
  });

  it('makes the arguments of a tool call when one is asked for', () => {
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { properties: { city: { type: 'string' } } } } },
    ];
    const [choice] = chat({ tools, tool_choice: 'required' });
    expect(choice?.finishReason).toBe('tool_calls');
    expect(text(choice)).toBe('{"city":"value"}');
  });
});
