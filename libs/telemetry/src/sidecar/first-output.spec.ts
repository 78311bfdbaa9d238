import { describe, expect, it } from '@jest/globals';
import type { ByteObserver, ByteStream } from '#protocol';
import { onFirstOutput } from './first-output.ts';

const STREAM = { 'content-type': 'text/event-stream' };

/** A body that is handed over by the test, and who looks at it. */
function aBody(): { readonly body: ByteStream; readonly observers: ByteObserver[] } {
  const observers: ByteObserver[] = [];
  const body = {
    observe: (one: ByteObserver) => void observers.push(one),
    pipe: () => Promise.resolve(),
    discard: () => undefined,
  };
  return { body, observers };
}

/** The position of the chunk at which it was told, -1 for never, and how often. */
function toldAt(chunks: readonly string[], headers: Record<string, string> = STREAM, status = 200): readonly number[] {
  const { body, observers } = aBody();
  const told: number[] = [];
  let position = 0;
  onFirstOutput({ status, headers, body }, () => told.push(position));
  for (position = 0; position < chunks.length; position++) {
    for (const observer of observers) observer.chunk?.(Buffer.from(chunks[position] ?? ''));
  }
  for (const observer of observers) observer.end(undefined);
  return told;
}

const event = (delta: object): string => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`;
const [ROLE, TEXT] = [event({ role: 'assistant' }), event({ content: 'a' })];

describe('onFirstOutput', () => {
  it.each([
    { what: 'a text behind a role', chunks: [ROLE, TEXT, TEXT], expected: [1] },
    { what: 'several texts in one chunk', chunks: [ROLE + TEXT + TEXT], expected: [0] },
    { what: 'a text that is cut', chunks: [ROLE, TEXT.slice(0, 20), TEXT.slice(20)], expected: [2] },
    { what: 'reasoning', chunks: [event({ reasoning_content: 'a' })], expected: [0] },
    { what: 'a call of a tool', chunks: [event({ tool_calls: [{ index: 0 }] })], expected: [0] },
    {
      what: 'an event of the responses API',
      chunks: ['data: {"type":"response.output_text.delta","delta":"a"}\n\n'],
      expected: [0],
    },
    {
      what: 'an event of the messages API',
      chunks: ['data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n'],
      expected: [0],
    },
    { what: 'a role and an end', chunks: [ROLE, event({ content: '' }), 'data: [DONE]\n\n'], expected: [] },
  ])('tells of $what once: $expected', ({ chunks, expected }) => {
    expect(toldAt(chunks)).toEqual(expected);
  });

  it.each([
    { what: 'an answer in one piece', headers: { 'content-type': 'application/json' }, status: 200 },
    { what: 'a coded stream', headers: { ...STREAM, 'content-encoding': 'gzip' }, status: 200 },
    { what: 'a refusal', headers: STREAM, status: 400 },
  ])('does not look at $what', ({ headers, status }) => {
    expect(toldAt([TEXT], headers, status)).toEqual([]);
  });

  it('does not look at what follows', () => {
    const { body, observers } = aBody();
    onFirstOutput({ status: 200, headers: STREAM, body }, () => undefined);
    const [observer] = observers;
    observer?.chunk?.(Buffer.from(TEXT));
    const untouched = new Proxy(Buffer.from(TEXT), {
      get: () => {
        throw new Error('looked at');
      },
    });
    expect(() => observer?.chunk?.(untouched)).not.toThrow();
  });
});
