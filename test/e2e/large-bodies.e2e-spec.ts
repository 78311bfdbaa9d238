import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { phaseNames } from '../../apps/simulator/src/stack/phase-summary.ts';
import { expectWithinLimits } from './support/resource-limits.ts';
import { startStack } from './support/stack.ts';
import type { Stack } from './support/stack.ts';

// processes are started, and the machine may be busy
jest.setTimeout(120_000);

const MIB = 1024 * 1024;
/** Of `server.max_request_body_size`. */
const DEFAULT_LIMIT = 64 * MIB;
const QUESTION = 'Tell me in a few plain words, in prose and not in verse, how this came about and what became of it.';

describe('large bodies', () => {
  // a process of its own for each, so that what one left behind is not counted as another's
  let stack: Stack;
  beforeEach(async () => {
    stack = await startStack();
  });
  afterEach(() => stack.stop());

  it('takes a body of exactly the limit through every phase, with each byte of it', async () => {
    await expectWithinLimits(stack, DEFAULT_LIMIT, async () => {
      const answer = await post(stack, 'limit', paddedChat(DEFAULT_LIMIT));
      expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/data: \[DONE\]\n\n$/) });
    });
    expect(phaseNames(stack.cluster.requests.of('limit'))).toBe('render, probe 412, prefill, decode');
    const [render, ...others] = stack.cluster.requests.of('limit').map(({ facts }) => Number(facts['bytes']));
    expect(render).toBe(DEFAULT_LIMIT);
    expect(Math.min(...others)).toBeGreaterThan(DEFAULT_LIMIT); // the tokens are in them too
  });

  it.each([
    { how: 'with its length', body: () => paddedChat(DEFAULT_LIMIT + 1) },
    { how: 'in chunks', body: () => inPieces(paddedChat(DEFAULT_LIMIT + 1)) },
  ])('answers 413 to one byte more, sent $how, and calls nobody', async ({ body }) => {
    const answer = await post(stack, 'too-large', body());
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: 'body_too_large', type: 'invalid_request_error' },
    });
    expect(stack.cluster.requests.of('too-large')).toEqual([]);
    expect(await post(stack, 'after', paddedChat(1000))).toMatchObject({ status: 200 });
  });

  it('takes a body of the limit in chunks', async () => {
    expect(await post(stack, 'chunked', inPieces(paddedChat(DEFAULT_LIMIT)))).toMatchObject({ status: 200 });
    expect(stack.cluster.requests.of('chunked')[0]?.facts).toMatchObject({ bytes: DEFAULT_LIMIT });
  });

  it.each([
    { what: 'an array of ids', id: 'ids', prompt: Array.from({ length: 131_072 }, (_, i) => i % 150_000) },
    { what: 'a text', id: 'text', prompt: Array.from({ length: 131_072 }, (_, i) => ` w${i % 30_000}`).join('') },
  ])('streams the answer to a completions prompt of 128k tokens in $what', async ({ id, prompt }) => {
    const body = Buffer.from(JSON.stringify({ model: 'm', prompt, stream: true, max_tokens: 40 }));
    await expectWithinLimits(stack, body.length, async () => {
      const { text } = await post(stack, id, body, '/v1/completions');
      expect(text.match(/^data: /gm)).toHaveLength(42); // the tokens, the reason of the end, and [DONE]
    });
    const calls = stack.cluster.requests.of(id).map(({ phase, facts }) => ({ phase, tokens: Number(facts['tokens']) }));
    expect(calls.map(({ phase }) => phase).slice(-3)).toEqual(['probe', 'prefill', 'decode']);
    expect(Math.min(...calls.map(({ tokens }) => tokens))).toBeGreaterThanOrEqual(131_072);
  });

  it('streams the answer to a chat of 128k tokens', async () => {
    const content = Array.from({ length: 131_072 }, (_, i) => ` w${i % 30_000}`).join('');
    const chat = { model: 'm', stream: true, max_tokens: 40, messages: [{ role: 'user', content }] };
    const body = Buffer.from(JSON.stringify(chat));
    await expectWithinLimits(stack, body.length, async () => {
      const { text } = await post(stack, 'chat', body);
      expect(text.match(/^data: /gm)).toHaveLength(43); // the role too
    });
    expect(phaseNames(stack.cluster.requests.of('chat'))).toBe('render, probe 412, prefill, decode');
  });
});

type Body = Buffer | ReadableStream;

async function post(
  { coordinatorUrl }: Stack,
  id: string,
  body: Body,
  path = '/v1/chat/completions',
): Promise<{ status: number; text: string }> {
  const response = await fetch(`${coordinatorUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-request-id': id },
    body,
    ...(Buffer.isBuffer(body) ? {} : { duplex: 'half' }),
  });
  return { status: response.status, text: await response.text() };
}

/** A question with a field beside it that nobody reads, in exactly so many bytes. */
function paddedChat(size: number): Buffer {
  const chat = { model: 'm', stream: true, messages: [{ role: 'user', content: QUESTION }] };
  const body = Buffer.alloc(size, 'a');
  body.write(`${JSON.stringify(chat).slice(0, -1)},"padding":"`);
  body.write('"}', size - 2);
  return body;
}

/** Sent without a length. */
function inPieces(body: Buffer): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < body.length) controller.enqueue(body.subarray(at, (at += MIB)));
      else controller.close();
    },
  });
}
