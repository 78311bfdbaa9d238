import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FakeUpstream, json } from '#testing';
import { OpenAiParser } from '../parsing/openai.parser.ts';
import { aRequest } from '../scheduling.fixture.ts';
import { promptsOf, tokenCount } from '../scheduling-request.ts';
import type { SchedulingRequest } from '../scheduling-request.ts';
import { TokenProducer } from './token.producer.ts';
import { tokenParams } from './token.params.ts';

async function requestFor(path: string, body: object): Promise<SchedulingRequest> {
  return aRequest({ parsed: await new OpenAiParser().parse(Buffer.from(JSON.stringify(body)), new Map(), path) });
}

const CHAT = { model: 'client', messages: [{ role: 'user', content: 'hi' }] };
const chat = (): Promise<SchedulingRequest> => requestFor('/v1/chat/completions', CHAT);

const idsOf = (request: SchedulingRequest): number[][] => promptsOf(request).map(({ ids }) => [...ids]);

describe('tokenParams', () => {
  it.each([
    [{ estimate: {}, modelName: 'm' }, "only one of 'estimate' and 'vllm' may be set"],
    [{ estimate: {}, vllm: {}, modelName: 'm' }, "only one of 'estimate' and 'vllm' may be set"],
    [{ vllm: {} }, "is required with 'vllm'"],
    [{ udsTokenizerConfig: {} }, 'is not supported, use vllm'],
  ])('refuses %j', (params, message) => {
    expect(tokenParams.safeParse(params).error?.issues[0]?.message).toBe(message);
  });

  it.each([{}, undefined, { estimate: {} }, { modelName: 'm' }, { modelName: 'm', vllm: { timeout: '1s' } }])(
    'accepts %j',
    (params) => {
      expect(tokenParams.safeParse(params).success).toBe(true);
    },
  );
});

describe('token-producer', () => {
  it('estimates by default, and has a count for those that ask', async () => {
    const request = await chat();
    expect(tokenCount(request)).toBe(0);
    await new TokenProducer(tokenParams.parse({})).produce(request, []);
    expect(tokenCount(request)).toBe(2);
  });

  it('leaves ids of the body as they are', async () => {
    const request = await requestFor('/v1/completions', { prompt: [1, 2, 3] });
    await new TokenProducer(tokenParams.parse({})).produce(request, []);
    expect(idsOf(request)).toEqual([[1, 2, 3]]);
  });

  it('makes nothing of a body that is not read', async () => {
    const request = aRequest();
    await new TokenProducer(tokenParams.parse({})).produce(request, []);
    expect(request.tokenized).toBeUndefined();
  });
});

describe('token-producer with a render service', () => {
  let render: FakeUpstream;
  let producer: TokenProducer;

  beforeEach(async () => {
    render = await FakeUpstream.start(() => undefined);
    producer = new TokenProducer(
      tokenParams.parse({ vllm: { url: render.url, mmTimeout: '7s' }, modelName: 'served' }),
    );
  });

  afterEach(() => render.close());

  it('asks it for a chat under the name of its own model', async () => {
    const features = { mm_hashes: { image: ['h'] }, mm_placeholders: { image: [{ offset: 0, length: 1 }] } };
    render.handler = (_, response) => {
      json(response, { token_ids: [7, 8], features });
    };
    const request = await chat();
    await producer.produce(request, []);
    expect(promptsOf(request)).toEqual([
      { ids: new Uint32Array([7, 8]), features: [{ modality: 'image', hash: 'h', offset: 0, length: 1 }] },
    ]);
    const [sent] = render.requests;
    expect(sent?.path).toBe('/v1/chat/completions/render');
    expect(sent?.body.toString()).toBe(JSON.stringify({ ...CHAT, model: 'served' }));
  });

  it('has a prompt for each that it answers with', async () => {
    render.handler = (_, response) => {
      json(response, [{ token_ids: [7] }, { token_ids: [8, 9] }]);
    };
    const request = await requestFor('/v1/completions', { prompt: ['a', 'b'] });
    await producer.produce(request, []);
    expect(idsOf(request)).toEqual([[7], [8, 9]]);
    expect(render.requests[0]?.path).toBe('/v1/completions/render');
  });

  it('has as much time as the longest call may take', () => {
    expect(producer.timeout).toBe(7000);
  });

  it('does not ask about what it does not render', async () => {
    const request = await requestFor('/v1/embeddings', { input: 'x' });
    await producer.produce(request, []);
    expect(render.requests).toEqual([]);
    expect(tokenCount(request)).toBe(0);
  });

  it.each([
    ['another status', 500, { secret: 1 }, 'render answered with status 500'],
    ['no tokens', 200, { secret: 1 }, 'render answered without token_ids'],
    [
      'tokens that are none',
      200,
      { token_ids: ['secret'] },
      'render answered with something else: token_ids[0] is not a token id from 0 to 4294967295',
    ],
    ['no JSON', 200, 'secret', 'render answered with something else: invalid JSON at byte 0'],
  ])('fails over %s and tells nothing of it', async (_, status, body, message) => {
    render.handler = (_request, response) => {
      json(response, body, status);
    };
    const request = await chat();
    await expect(producer.produce(request, [])).rejects.toThrow(message);
    expect(request.tokenized).toBeUndefined();
  });

  it('ends the call when nobody waits for it any more', async () => {
    const request = await chat();
    const gone = new AbortController();
    const made = producer.produce(request, [], gone.signal);
    await render.received(1);
    gone.abort();
    await expect(made).rejects.toThrow();
    expect(await render.requests[0]?.aborted).toBe(true);
  });
});
