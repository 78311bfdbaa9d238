import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { startSimulatedCluster } from './cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { JsonObject } from './control/json-value.ts';
import {
  HandDriver,
  NIXL_PREFILL,
  RED,
  decodeBody,
  encodeBody,
  imageChat,
  imagePart,
  prefillBody,
  textChat,
  tokensOf,
} from './testing/hand-driver.ts';
import type { HandReply } from './testing/hand-driver.ts';

describe('what a simulated cluster refuses', () => {
  let cluster: SimulatedCluster;
  let hand: HandDriver;

  beforeAll(async () => {
    cluster = await startSimulatedCluster({
      workers: ['encode', 'prefill', 'decode'].map((role) => ({ role: role as 'encode' })),
    });
    hand = new HandDriver(cluster);
  });
  afterEach(() => {
    cluster.requests.clear();
    for (const worker of cluster.workers) worker.prefixCache.clear();
  });
  afterAll(() => cluster.close());

  const refusal = (reply: HandReply): unknown => ({ status: reply.status, error: reply.json['error'] });
  const badRequest = (text: string): unknown => ({
    status: 400,
    error: { message: expect.stringContaining(text), type: 'BadRequestError', param: null, code: 400 },
  });

  it.each([
    {
      what: 'without do_remote_decode',
      change: { kv_transfer_params: { ...NIXL_PREFILL, do_remote_decode: false } },
      says: 'do_remote_decode must be true',
    },
    {
      what: 'without kv_transfer_params',
      change: { kv_transfer_params: undefined },
      says: 'kv_transfer_params must be an object',
    },
    { what: 'that streams', change: { stream: true }, says: 'stream must be false' },
    { what: 'without a cap', change: { max_tokens: 50 }, says: 'max_tokens must be 1' },
    {
      what: 'with the tokens of another prompt',
      change: { tokens: { token_ids: [1, 2, 3] } },
      says: 'tokens.token_ids does not match the prompt',
    },
  ])('refuses a prefill $what', async ({ change, says }) => {
    const { json: rendered } = await hand.render('chat', textChat);
    const reply = await hand.call('prefill', 'chat', { ...prefillBody(textChat, rendered), ...change });
    expect(refusal(reply)).toEqual(badRequest(says));
  });

  it('refuses a prefill whose image was not encoded', async () => {
    const { json: rendered } = await hand.render('chat', imageChat);
    const reply = await hand.call('prefill', 'chat', prefillBody(imageChat, rendered, {}));
    expect(refusal(reply)).toEqual(badRequest('was not encoded before prefill'));
  });

  it('refuses an encode of two parts', async () => {
    const { json: rendered } = await hand.render('chat', imageChat);
    const body = { ...encodeBody(RED, rendered, 0), messages: imageChat['messages'] };
    expect(refusal(await hand.call('encode', 'chat', body))).toEqual(
      badRequest('encode takes one message with one part'),
    );
  });

  it('refuses a decode whose blocks were never issued, and one whose blocks were taken', async () => {
    const { json: rendered } = await hand.render('chat', textChat);
    const prefill = await hand.call('prefill', 'chat', prefillBody(textChat, rendered));
    const body = decodeBody(textChat, rendered, prefill.json);
    const invented = { ...(body['kv_transfer_params'] as JsonObject), remote_block_ids: [[99_999]] };

    const never = await hand.call('decode', 'chat', { ...body, kv_transfer_params: invented });
    expect(refusal(never)).toEqual(badRequest('blocks that no prefill has issued'));
    expect(await hand.call('decode', 'chat', body)).toMatchObject({ status: 200 });
    expect(refusal(await hand.call('decode', 'chat', body))).toEqual(badRequest('blocks that were taken before'));
  });

  it('refuses a decode whose tokens are not those of its messages, or not those that were prefilled', async () => {
    const { json: rendered } = await hand.render('chat', textChat);
    const prefill = await hand.call('prefill', 'chat', prefillBody(textChat, rendered));
    const body = decodeBody(textChat, rendered, prefill.json);
    const messages = [{ role: 'user', content: 'Something else.' }];
    expect(refusal(await hand.call('decode', 'chat', { ...body, messages }))).toEqual(
      badRequest('tokens.token_ids does not match the prompt'),
    );
    const own = await hand.render('chat', { ...textChat, messages });
    expect(refusal(await hand.call('decode', 'chat', { ...body, messages, tokens: tokensOf(own.json) }))).toEqual(
      badRequest('the prompt is not the one whose blocks'),
    );
  });

  it('refuses a probe that brings transfer parameters', async () => {
    const reply = await hand.probe('chat', { ...textChat, kv_transfer_params: NIXL_PREFILL });
    expect(refusal(reply)).toEqual(badRequest('a probe takes no kv_transfer_params'));
  });

  it('refuses to render an image that was not inlined', async () => {
    const messages = [{ role: 'user', content: [imagePart('http://img.example/a.png')] }];
    expect(refusal(await hand.render('chat', { model: 'm', messages }))).toEqual(
      badRequest('must be a data: URI, got http:'),
    );
  });

  it('refuses a call that reached a worker of another role', async () => {
    const prefill = cluster.workers.find(({ role }) => role === 'prefill');
    const reply = await fetch(`${prefill?.url}/v1/completions`, {
      method: 'POST',
      headers: { 'EPP-Profile': 'decode' },
      body: JSON.stringify({ prompt: 'a' }),
    });
    expect(await reply.json()).toMatchObject({
      error: { message: 'this worker does prefill, the call is for decode' },
    });
  });

  it.each(['{"model":', '[1]', 'null', ''])('refuses the body %j', async (body) => {
    const reply = await fetch(`${cluster.render.url}/v1/completions/render`, { method: 'POST', body });
    expect(reply.status).toBe(400);
  });

  it.each([
    { cached: 0, asked: 100, status: 412 },
    { cached: 80, asked: 100, status: 412 },
    { cached: 96, asked: 100, status: 200 },
    { cached: 80, asked: 95, status: 200 },
    { cached: 80, asked: 96, status: 412 },
    { cached: 0, asked: 15, status: 200 },
    { cached: 0, asked: 16, status: 412 },
  ])('answers a probe of $asked tokens with $cached cached by $status', async ({ cached, asked, status }) => {
    const prompt = Array.from({ length: asked }, (_, i) => i + 1);
    if (cached > 0)
      await hand.call('decode', 'completions', { model: 'm', prompt: prompt.slice(0, cached), max_tokens: 1 });
    expect(await hand.probe('completions', { model: 'm', prompt, max_tokens: 1 })).toMatchObject({ status });
  });

  it('answers 404 to another model when it is strict', async () => {
    const strict = await startSimulatedCluster({ strict_model: true, model: 'only' });
    try {
      const driver = new HandDriver(strict);
      expect(await driver.render('completions', { model: 'm', prompt: 'a' })).toMatchObject({
        status: 404,
        json: { error: { type: 'NotFoundError', code: 404 } },
      });
      expect(await driver.render('completions', { model: 'only', prompt: 'a' })).toMatchObject({ status: 200 });
    } finally {
      await strict.close();
    }
  });
});
