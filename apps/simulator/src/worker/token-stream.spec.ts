import { describe, expect, it } from '@jest/globals';
import { answerFormat } from './answers/answer-format.ts';
import { generate } from './generated-text.ts';
import type { InferenceApi } from './inference-api.ts';
import { samplingOf } from './sampling.ts';
import { streamTokens } from './token-stream.ts';

const prompt = { tokenIds: [9, 14, 6, 3], items: [] };

/** What was written, with the pauses between. */
async function streamed(api: InferenceApi, body: Record<string, unknown>): Promise<string[]> {
  const written: string[] = [];
  const sink = {
    event: (text: string): Promise<void> => Promise.resolve(void written.push(text)),
    pause: (ms: number): Promise<void> => Promise.resolve(void written.push(`pause ${ms}`)),
  };
  const sampling = samplingOf(api, { model: 'm', stream: true, ...body });
  const choices = generate(prompt, sampling);
  const answer = { requestId: 'r', model: 'm', created: 1, choices, promptTokens: 4, cachedTokens: 0, sampling };
  await streamTokens(sink, answerFormat(api, answer), choices, 7);
  return written;
}

const kind = (event: string): string => {
  if (event.startsWith('pause') || event.startsWith('data: [DONE]')) return event.trim();
  if (event.startsWith('event: ')) return event.slice('event: '.length, event.indexOf('\n'));
  if (event.includes('"usage":')) return 'usage';
  if (event.includes('"role":')) return 'role';
  if (/"finish_reason":"/.test(event)) return `finish ${/"index":(\d)/.exec(event)?.[1]}`;
  return `token ${/"index":(\d)/.exec(event)?.[1]}`;
};

describe('streamTokens', () => {
  it('sends role, tokens with a gap between, finish, usage and [DONE]', async () => {
    const events = await streamed('chat', { max_tokens: 3, stream_options: { include_usage: true } });
    expect(events.map(kind)).toEqual([
      'role',
      'token 0',
      'pause 7',
      'token 0',
      'pause 7',
      'token 0',
      'finish 0',
      'usage',
      'data: [DONE]',
    ]);
  });

  it('sends the choices of n together, beat by beat', async () => {
    const events = await streamed('completions', { max_tokens: 2, n: 2 });
    expect(events.map(kind)).toEqual([
      'token 0',
      'token 1',
      'pause 7',
      'token 0',
      'token 1',
      'finish 0',
      'finish 1',
      'data: [DONE]',
    ]);
  });

  it('sends the named events of responses, numbered, without [DONE]', async () => {
    const events = await streamed('responses', { max_output_tokens: 2 });
    expect(events.filter((event) => !event.startsWith('pause')).map(kind)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.incomplete',
    ]);
    const numbers = events.flatMap((event) => /"sequence_number":(\d+)/.exec(event)?.[1] ?? []);
    expect(numbers).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });

  it('sends token ids, and no text, for generate', async () => {
    const [first = ''] = await streamed('generate', { sampling_params: { max_tokens: 1 } });
    expect(JSON.parse(first.slice('data: '.length))).toEqual({
      request_id: 'r',
      choices: [{ index: 0, logprobs: null, finish_reason: null, token_ids: [expect.any(Number)] }],
    });
  });

  it('joins to the same text that the buffered answer has', async () => {
    const events = await streamed('chat', { max_tokens: 12 });
    const text = events
      .filter((event) => event.startsWith('data: {'))
      .map(
        (event) =>
          (JSON.parse(event.slice('data: '.length)) as { choices: [{ delta: { content: string } }] }).choices[0].delta
            .content,
      )
      .join('');
    const [choice] = generate(prompt, samplingOf('chat', { max_tokens: 12 }));
    expect(text).toBe(choice?.tokens.map((token) => token.text).join(''));
  });

  it('ends every event with a blank line', async () => {
    for (const api of ['chat', 'completions', 'responses', 'generate'] as const) {
      const events = (await streamed(api, {})).filter((event) => !event.startsWith('pause'));
      expect(events.every((event) => /^(event: [^\n]+\n)?data: [^\n]+\n\n$/.test(event))).toBe(true);
    }
  });
});
