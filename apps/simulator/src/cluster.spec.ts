import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { unpack } from 'msgpackr';
import { startSimulatedCluster } from './cluster.ts';
import type { SimulatedCluster } from './cluster.ts';
import {
  BLUE,
  HandDriver,
  NIXL_PREFILL,
  PROMPT,
  RED,
  decodeBody,
  encodeBody,
  imageChat,
  prefillBody,
  textChat,
  tokensOf,
} from './testing/hand-driver.ts';

describe('a simulated cluster, driven by hand', () => {
  let cluster: SimulatedCluster;
  let hand: HandDriver;

  beforeEach(async () => {
    cluster = await startSimulatedCluster();
    hand = new HandDriver(cluster);
  });
  afterEach(() => cluster.close());

  const phases = (): string[] => cluster.requests.of('hand-1').map(({ phase, status }) => `${phase} ${status}`);

  it('takes a text chat through render, probe, prefill and decode, and serves the next probe of it', async () => {
    const { json: rendered } = await hand.render('chat', textChat);
    const probe = { ...textChat, tokens: tokensOf(rendered) };
    expect(await hand.probe('chat', probe)).toMatchObject({ status: 412 });

    const prefill = await hand.call('prefill', 'chat', prefillBody(textChat, rendered));
    expect(prefill.json['kv_transfer_params']).toMatchObject({
      do_remote_prefill: true,
      do_remote_decode: false,
      tp_size: 1,
    });

    const decode = await hand.call('decode', 'chat', decodeBody(textChat, rendered, prefill.json));
    expect(decode.json).toMatchObject({
      object: 'chat.completion',
      model: 'm',
      usage: { prompt_tokens_details: { cached_tokens: 0 } },
    });

    const hit = await hand.probe('chat', probe);
    expect(hit.json['choices']).toEqual(decode.json['choices']);
    expect(phases()).toEqual(['render 200', 'probe 412', 'prefill 200', 'decode 200', 'probe 200']);
  });

  it('takes a chat with two images through two encodes, and streams the answer', async () => {
    const chat = { ...imageChat, stream: true, stream_options: { include_usage: true } };
    const { json: rendered } = await hand.render('chat', chat);
    expect(await hand.probe('chat', { ...chat, tokens: tokensOf(rendered) })).toMatchObject({ status: 412 });

    const encoded = await Promise.all(
      [RED, BLUE].map((url, index) => hand.call('encode', 'chat', encodeBody(url, rendered, index))),
    );
    const ec = Object.assign({}, ...encoded.map(({ json }) => json['ec_transfer_params'])) as Record<string, unknown>;
    expect(Object.keys(ec)).toHaveLength(2);

    const prefill = await hand.call('prefill', 'chat', prefillBody(imageChat, rendered, ec));
    const decode = await hand.call('decode', 'chat', decodeBody(chat, rendered, prefill.json));
    expect(decode.headers.get('content-type')).toContain('text/event-stream');
    expect(decode.events.at(0)).toContain('"role":"assistant"');
    expect(decode.events.at(-3)).toContain('"finish_reason":"stop"');
    expect(decode.events.at(-2)).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":\d+/);
    expect(decode.events.at(-1)).toBe('[DONE]');
    expect(phases()).toEqual(['render 200', 'probe 412', 'encode 200', 'encode 200', 'prefill 200', 'decode 200']);

    expect(await hand.probe('chat', { ...chat, tokens: tokensOf(rendered) })).toMatchObject({ status: 200 });
  });

  it('renders image placeholders from the pixel size, and processor output that msgpack reads', async () => {
    const { json } = await hand.render('chat', imageChat);
    const { token_ids: ids, features } = json as {
      token_ids: number[];
      features: { mm_placeholders: { image: { offset: number; length: number }[] }; kwargs_data: { image: string[] } };
    };
    expect(features.mm_placeholders.image.map(({ length }) => length)).toEqual([12, 2]);
    const { offset, length } = features.mm_placeholders.image[0] ?? { offset: 0, length: 0 };
    expect(new Set(ids.slice(offset, offset + length)).size).toBe(1);
    const kwargs: unknown = unpack(Buffer.from(features.kwargs_data.image[0] ?? '', 'base64'));
    expect(kwargs).toMatchObject({ image_grid_thw: [[1, 3, 4]] });
  });

  it('carries completions as token arrays', async () => {
    const body = { model: 'm', prompt: PROMPT, max_tokens: 5 };
    const rendered = await hand.render('completions', body);
    const prompt = (JSON.parse(rendered.text) as [{ token_ids: number[] }])[0].token_ids;
    const prefill = await hand.call('prefill', 'completions', {
      request_id: 'hand-1',
      model: 'm',
      prompt,
      kv_transfer_params: NIXL_PREFILL,
      max_tokens: 1,
      stream: false,
    });
    const decode = await hand.call('decode', 'completions', decodeCompletions({ ...body, prompt }, prefill.json));
    expect(decode.json).toMatchObject({
      object: 'text_completion',
      choices: [{ finish_reason: 'length' }],
      usage: { prompt_tokens: prompt.length, completion_tokens: 5 },
    });
  });

  it('carries chat in the tokens-in format, with processor output in place of the images', async () => {
    const { json: rendered } = await hand.render('chat', imageChat);
    const prefill = await hand.call('prefill', 'generate', {
      request_id: 'hand-1',
      token_ids: rendered['token_ids'],
      model: 'm',
      sampling_params: { max_tokens: 1, extra_args: { kv_transfer_params: NIXL_PREFILL } },
      stream: false,
      features: rendered['features'],
    });
    expect(prefill.status).toBe(200);
    expect(await hand.call('decode', 'chat', decodeBody(imageChat, rendered, prefill.json))).toMatchObject({
      status: 200,
    });
  });

  it('carries responses', async () => {
    const body = { model: 'm', input: PROMPT, max_output_tokens: 4 };
    const prefill = await hand.call('prefill', 'responses', {
      ...body,
      max_output_tokens: 1,
      store: false,
      stream: false,
      kv_transfer_params: NIXL_PREFILL,
    });
    const decode = await hand.call('decode', 'responses', decodeCompletions(body, prefill.json));
    expect(decode.json).toMatchObject({ object: 'response', status: 'incomplete', usage: { output_tokens: 4 } });
  });
});

function decodeCompletions(
  body: Record<string, unknown>,
  prefilled: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { kv_transfer_params: params } = decodeBody(body, {}, prefilled);
  return { ...body, kv_transfer_params: params };
}
