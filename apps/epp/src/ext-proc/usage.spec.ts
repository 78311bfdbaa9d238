import { describe, expect, it } from '@jest/globals';
import { AnswerUsage, StreamUsage } from './usage.ts';
import type { Usage } from '#protocol';
import type { UsageReader } from './usage.ts';

function read(reader: UsageReader, ...chunks: readonly string[]): Usage | undefined {
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  return reader.end();
}

const FIVE_SEVEN = { inputTokens: 5, outputTokens: 7, cachedTokens: undefined };

describe('AnswerUsage', () => {
  it.each([
    ['chat', '{"usage":{"prompt_tokens":5,"completion_tokens":7}}', FIVE_SEVEN],
    ['responses', '{"usage":{"input_tokens":5,"output_tokens":7}}', FIVE_SEVEN],
    [
      'cached',
      '{"usage":{"prompt_tokens_details":{"cached_tokens":3}}}',
      { inputTokens: undefined, outputTokens: undefined, cachedTokens: 3 },
    ],
    [
      'impossible',
      '{"usage":{"prompt_tokens":-1,"completion_tokens":1.5}}',
      { inputTokens: undefined, outputTokens: undefined, cachedTokens: undefined },
    ],
  ])('reads the names of %s', (_, answer, usage) => {
    expect(read(new AnswerUsage(), answer.slice(0, 12), answer.slice(12))).toEqual(usage);
  });

  it.each(['', '{}', '{"usage":null}', '{"usage":', 'text with "usage"'])('knows none of %j', (answer) => {
    expect(read(new AnswerUsage(), answer)).toBeUndefined();
  });

  it('knows none of an answer above 2 MiB', () => {
    const answer = `{"x":"${'x'.repeat(2 ** 21)}","usage":{"prompt_tokens":5}}`;
    expect(read(new AnswerUsage(), answer)).toBeUndefined();
  });
});

describe('StreamUsage', () => {
  const event = 'data: {"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7}}';

  it.each([
    ['cut in two', [event.slice(0, 30), event.slice(30), '\n\ndata: [DONE]\n\n']],
    ['with CR LF', [`${event}\r\n\r\n`, 'data: [DONE]\r\n\r\n']],
    ['without a space', [`${event.replace('data: ', 'data:')}\n\n`]],
    ['with nulls before it', ['data: {"usage":null}\n\n', `${event}\n\n`]],
    ['without an end', [event]],
    ['behind a very long line', ['data: ', `"${'x'.repeat(300 * 1024)}"\n\n`, `${event}\n\n`]],
  ])('reads a usage event %s', (_, chunks) => {
    expect(read(new StreamUsage(), ...chunks)).toEqual(FIVE_SEVEN);
  });

  it('reads response.completed of the responses API', () => {
    const completed = '{"type":"response.completed","response":{"usage":{"input_tokens":5,"output_tokens":7}}}';
    expect(read(new StreamUsage(), `event: response.completed\ndata: ${completed}\n\n`)).toEqual(FIVE_SEVEN);
  });

  it('does not know it, and does not call it 0, where the last line is cut and too long to be kept', () => {
    const long = `"${'x'.repeat(300 * 1024)}"\n\n`;
    expect(read(new StreamUsage(), `${event}\n\n`, 'data: ', long)).toBeUndefined();
  });
});
