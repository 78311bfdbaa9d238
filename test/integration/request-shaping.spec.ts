import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestFormat } from '#protocol';
import { aRequest } from '#testing';
import { PipelineBench, answering, missOr } from './pipeline.fixture.ts';

let bench: PipelineBench;

beforeAll(async () => {
  bench = await PipelineBench.start({ steps: ['render', 'prefill', 'decode'] });
});

beforeEach(() => {
  bench.gateway.handler = missOr('{}');
  bench.gateway.requests.length = bench.render.requests.length = 0;
});

afterAll(async () => {
  await bench.close();
});

interface Leg {
  readonly prefill: Readonly<Record<string, unknown>>;
  readonly decode: Readonly<Record<string, unknown>>;
}

/** What prefill and decode are sent, as values. */
async function legs(format: RequestFormat, body: object): Promise<Leg> {
  bench.render.handler = answering(format === 'completions' ? '[{"token_ids":[9,14]}]' : '{"token_ids":[9,14]}');
  await bench.run(aRequest({ format, body: JSON.stringify(body) }));
  const [prefill = '{}', decode = '{}'] = bench.gateway.requests.map((call) => call.body.toString());
  return { prefill: parsed(prefill), decode: parsed(decode) };
}

function parsed(body: string): Leg['decode'] {
  // a body that the coordinator made is an object
  return JSON.parse(body) as Leg['decode'];
}

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const COMP = { model: 'm', prompt: 'hi' };

describe('a request that is prefilled and decoded', () => {
  it.each<[RequestFormat, object, object]>([
    ['chat', { max_tokens: 500 }, { max_tokens: 1 }],
    ['chat', { max_completion_tokens: 500 }, { max_tokens: 1, max_completion_tokens: 1 }],
    ['chat', { max_tokens: 500, max_completion_tokens: 400 }, { max_tokens: 1, max_completion_tokens: 1 }],
    ['chat', {}, { max_tokens: 1 }],
    ['completions', { max_tokens: 500 }, { max_tokens: 1 }],
    ['completions', {}, { max_tokens: 1 }],
    ['responses', { max_output_tokens: 500 }, { max_output_tokens: 1 }],
    ['responses', {}, { max_output_tokens: 1 }],
  ])('of %s with %j is capped to one token at prefill and to nothing else at decode', async (format, caps, capped) => {
    const base = { chat: CHAT, completions: COMP, responses: { model: 'm', input: 'hi' }, generate: {} }[format];
    const { prefill, decode } = await legs(format, { ...base, ...caps });
    const limits = (body: object): object =>
      Object.fromEntries(Object.entries(body).filter(([key]) => /^max_.*tokens$/.test(key)));
    expect(limits(prefill)).toEqual(capped);
    expect(limits(decode)).toEqual(caps);
  });

  it.each<[RequestFormat, object]>([
    ['chat', CHAT],
    ['completions', COMP],
  ])('of %s streams at decode alone', async (format, base) => {
    const streaming = { stream: true, stream_options: { include_usage: true } };
    const { prefill, decode } = await legs(format, { ...base, ...streaming });
    expect(prefill['stream']).toBe(false);
    expect(prefill).not.toHaveProperty('stream_options');
    expect(decode).toMatchObject(streaming);
  });

  it.each<[RequestFormat, object]>([
    ['chat', CHAT],
    ['completions', COMP],
  ])('of %s has no minimum at prefill', async (format, base) => {
    const { prefill, decode } = await legs(format, { ...base, max_tokens: 1000, min_tokens: 100 });
    expect(prefill).not.toHaveProperty('min_tokens');
    expect(decode['min_tokens']).toBe(100);
  });

  it('of chat is otherwise the same on both legs', async () => {
    const rest = {
      ...{ n: 2, logprobs: true, top_logprobs: 5, prompt_logprobs: 1, tool_choice: 'required', stop: ['x'] },
      ...{ tools: [{ type: 'function', function: { name: 'f' } }], response_format: { type: 'json_object' } },
    };
    const { prefill, decode } = await legs('chat', { ...CHAT, ...rest });
    expect(prefill).toMatchObject(rest);
    expect(decode).toMatchObject(rest);
  });

  it('of completions keeps everything at decode, and nothing at prefill that shapes the answer', async () => {
    const rest = { echo: true, prompt_logprobs: 1, n: 2, temperature: 0.5, return_token_ids: true };
    const { prefill, decode } = await legs('completions', { ...COMP, ...rest });
    expect(Object.keys(prefill)).toEqual([
      'request_id',
      'model',
      'prompt',
      'kv_transfer_params',
      'max_tokens',
      'stream',
    ]);
    expect(decode).toMatchObject({ ...rest, prompt: [9, 14] });
  });

  it('of completions with ids is not rendered, and keeps them', async () => {
    const prompt = [151644, 8948, 198, 151645, 198];
    const { prefill, decode } = await legs('completions', { ...COMP, prompt });
    expect([prefill['prompt'], decode['prompt']]).toEqual([prompt, prompt]);
    expect(bench.render.requests).toEqual([]);
  });

  it.each([[['a', 'b']], [[[1], [2]]]])(
    'of completions with the batch %j is refused before any call',
    async (prompt) => {
      await expect(legs('completions', { ...COMP, prompt })).rejects.toMatchObject({
        code: 'batched_prompt',
        status: 400,
      });
      expect(bench.gateway.requests).toEqual([]);
    },
  );

  it('fails with the name of prefill when that streams all the same', async () => {
    bench.gateway.handler = missOr('{}', { prefill: 'data: {"choices":[]}\n\ndata: [DONE]\n\n' });
    await expect(legs('chat', { ...CHAT, stream: true })).rejects.toMatchObject({ step: 'prefill', status: 502 });
    expect(bench.phases).toEqual(['prefill']);
  });
});
