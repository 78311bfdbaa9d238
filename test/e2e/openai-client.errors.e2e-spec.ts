import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import type { FaultInput } from '../../apps/simulator/src/control/fault.schema.ts';
import { png } from '../../apps/simulator/src/media/png.ts';
import { openAi, withId } from './support/openai.client.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(60_000);

const QUESTION = 'Tell me in a few plain words how a clock is built, and why it does not run backwards in the night.';

describe('errors through the openai client', () => {
  let stack: Stack;
  let client: OpenAI;

  beforeAll(async () => {
    stack = await startStack({ gateway: { timeout: '2s' } });
    client = openAi(stack.url);
  });
  afterEach(() => {
    stack.cluster.faults.clear();
    for (const worker of stack.cluster.workers) worker.prefixCache.clear();
  });
  afterAll(() => stack.stop());

  const chat = { model: 'sim-model', messages: [{ role: 'user' as const, content: QUESTION }] };
  const withImages = (...urls: string[]): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
    model: 'sim-model',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: QUESTION },
          ...urls.map((url) => ({ type: 'image_url' as const, image_url: { url } })),
        ],
      },
    ],
  });
  const inline = (red: number): string => `data:image/png;base64,${png(90, 60, [red, 0, 0]).toString('base64')}`;
  /** What the call failed with. */
  const failure = async (call: Promise<unknown>): Promise<APIError> => {
    const error: unknown = await call.then(
      () => new Error('the call did not fail'),
      (thrown: unknown) => thrown,
    );
    if (error instanceof APIError) return error;
    throw error;
  };

  it.each([
    {
      what: 'a body that is no object',
      send: () => client.post('/chat/completions', { body: [1] }),
      expected: { code: 'invalid_body', param: null },
    },
    {
      what: 'a batch of prompts',
      send: () => client.completions.create({ model: 'm', prompt: ['one', 'two'] }),
      expected: { code: 'batched_prompt', param: 'prompt' },
    },
    {
      what: 'a batch of token arrays',
      send: () => client.completions.create({ model: 'm', prompt: [[1], [2]] }),
      expected: { code: 'batched_prompt', param: 'prompt' },
    },
    {
      what: 'an image that cannot be fetched',
      send: () => client.chat.completions.create(withImages(inline(1), `${stack.cluster.media.url}/missing.png`)),
      expected: { code: 'media_fetch_failed', param: 'messages[0].content[2]' },
    },
    {
      what: 'an image at an address that is not to be called',
      send: () => client.chat.completions.create(withImages('http://169.254.169.254/latest/meta-data/')),
      expected: { code: 'media_fetch_failed', param: 'messages[0].content[1]' },
    },
    {
      what: 'an inline image that is none',
      send: () => client.chat.completions.create(withImages('data:text/html;base64,PGI+')),
      expected: { code: 'invalid_media', param: 'messages[0].content[1]' },
    },
    {
      what: 'messages that render refuses',
      send: () => client.chat.completions.create({ ...chat, messages: [] }),
      expected: { code: 'upstream_rejected', param: null },
    },
  ])('is a BadRequestError for $what', async ({ send, expected }) => {
    const error = await failure(send());
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', ...expected });
    expect(error.message).toContain(`(request_id: ${error.requestID})`);
  });

  it('is a RateLimitError with retry-after when decode answers 429, whole and streamed', async () => {
    const body = { error: { message: 'too many requests', type: 'RateLimitError', param: null, code: 429 } };
    stack.cluster.faults.set([{ phase: 'decode', kind: 'status', status: 429, headers: { 'retry-after': '7' }, body }]);
    for (const call of [
      () => client.chat.completions.create(chat),
      () => client.chat.completions.create({ ...chat, stream: true }),
    ]) {
      const error = await failure(call());
      expect(error).toBeInstanceOf(OpenAI.RateLimitError);
      expect(error).toMatchObject({ status: 429, error: body.error });
      expect(error.headers?.get('retry-after')).toBe('7');
    }
  });

  it('lets a client that repeats have its answer when the 429 is over', async () => {
    const headers = { 'retry-after-ms': '50' };
    stack.cluster.faults.set([{ phase: 'decode', kind: 'status', status: 429, headers, times: 1 }]);
    const patient = openAi(stack.url, { maxRetries: 1 });
    expect((await patient.chat.completions.create(chat)).choices[0]?.finish_reason).toBe('stop');
  });

  const serverErrors: { what: string; faults: FaultInput[]; expected: object; says: string }[] = [
    {
      what: 'a prefill that fails',
      faults: [{ phase: 'prefill', kind: 'status', status: 500 }],
      expected: { status: 502, code: 'upstream_failed' },
      says: 'prefill failed: HTTP 500',
    },
    {
      what: 'a prefill that breaks off',
      faults: [{ phase: 'prefill', kind: 'reset' }],
      expected: { status: 502, code: 'upstream_unreachable' },
      says: 'prefill broke the connection',
    },
    {
      what: 'a prefill answer that breaks off in its middle',
      faults: [{ phase: 'prefill', kind: 'cut', after_events: 0 }],
      expected: { status: 502, code: 'upstream_unreachable' },
      says: 'prefill broke the connection',
    },
    {
      what: 'a render that fails',
      faults: [{ phase: 'render', kind: 'status', status: 500 }],
      expected: { status: 502, code: 'upstream_failed' },
      says: 'render failed: HTTP 500',
    },
    {
      what: 'a decode that breaks off before its head',
      faults: [{ phase: 'decode', kind: 'reset' }],
      expected: { status: 502, code: 'upstream_unreachable' },
      says: 'decode broke the connection',
    },
    {
      what: 'a prefill without workers',
      faults: [{ phase: 'prefill', kind: 'status', status: 503 }],
      expected: { status: 503, code: 'upstream_failed' },
      says: 'prefill failed: HTTP 503',
    },
    {
      what: 'a prefill that the gateway gave up',
      faults: [{ phase: 'prefill', kind: 'status', status: 504 }],
      expected: { status: 504, code: 'upstream_failed' },
      says: 'prefill failed: HTTP 504',
    },
    {
      what: 'a prefill that takes too long',
      faults: [{ phase: 'prefill', kind: 'stall' }],
      expected: { status: 504, code: 'upstream_timeout' },
      says: 'gateway.timeout',
    },
  ];
  it.each(serverErrors)(
    'is an InternalServerError of the right status for $what',
    async ({ faults, expected, says }) => {
      stack.cluster.faults.set(faults);
      for (const stream of [false, true]) {
        const error = await failure(client.chat.completions.create({ ...chat, stream }));
        expect(error).toBeInstanceOf(OpenAI.InternalServerError);
        expect(error).toMatchObject({ ...expected, param: null });
        expect(error.message).toContain(says);
      }
    },
  );

  it('names the image whose encode failed, and does not prefill', async () => {
    stack.cluster.faults.set([{ phase: 'encode', kind: 'status', status: 500, skip: 1 }]);
    const error = await failure(client.chat.completions.create(withImages(inline(2), inline(3)), withId('encode-1')));
    expect(error).toMatchObject({ status: 502, code: 'upstream_failed' });
    expect(error.message).toMatch(/encode\[[01]\] failed: HTTP 500/);
    expect(stack.cluster.requests.of('encode-1').some(({ phase }) => phase === 'prefill')).toBe(false);
  });

  it.each([503, 502])('relays the %i of decode with what the worker said', async (status) => {
    const error = { message: 'no place left', type: 'ServiceUnavailableError', param: null, code: status };
    stack.cluster.faults.set([{ phase: 'decode', kind: 'status', status, body: { error } }]);
    const failed = await failure(client.chat.completions.create(chat));
    expect(failed).toBeInstanceOf(OpenAI.InternalServerError);
    expect(failed).toMatchObject({ status, error });
  });

  it('passes retry-after of a refused prefill on', async () => {
    const headers = { 'retry-after': '3' };
    stack.cluster.faults.set([{ phase: 'prefill', kind: 'status', status: 429, headers }]);
    const error = await failure(client.chat.completions.create(chat));
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error.headers?.get('retry-after')).toBe('3');
  });
});
