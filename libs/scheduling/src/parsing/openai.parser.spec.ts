import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '#json';
import type { ParsedRequest, PromptPiece } from '../scheduling-request.ts';
import { OpenAiParser } from './openai.parser.ts';

const CHAT = '/v1/chat/completions';
const COMPLETIONS = '/v1/completions';

async function parse(path: string, body: unknown): Promise<ParsedRequest> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new OpenAiParser().parse(Buffer.from(text), new Map([[':path', path]]));
}

const textOf = (value: JsonValue): string => value.bytes.toString();

/** Pieces in one line each. */
function shown({ words = [] }: ParsedRequest): string[][] {
  return words.map((pieces) => pieces.map(showPiece));
}

function showPiece(piece: PromptPiece): string {
  switch (piece.kind) {
    case 'text':
      return `text ${textOf(piece.value)}`;
    case 'json':
      return `json ${textOf(piece.value)}`;
    case 'literal':
      return piece.bytes.toString();
    case 'media':
      return [piece.modality, ...piece.content.map(textOf)].join(' ');
  }
}

const idsOf = (parsed: ParsedRequest): number[][] => parsed.prompts().map(({ ids }) => [...ids]);

const message = (content: unknown): object => ({ model: 'm', messages: [{ role: 'user', content }] });

describe('openai-parser', () => {
  it('reads what every body has', async () => {
    const body = { model: 'm', stream: true, cache_salt: 's', max_tokens: 7, prompt: 'hi', seed: 1 };
    expect(await parse(COMPLETIONS, body)).toMatchObject({
      model: 'm',
      isStream: true,
      cacheSalt: 's',
      maxTokens: 7,
      hasMedia: false,
      rendering: 'completions',
    });
  });

  it.each([
    ['no model', '{"prompt":"x"}', undefined],
    ['a model that is no text', '{"model":3,"prompt":"x"}', undefined],
    ['a repeated model', '{"model":"allowed","mod\\u0065l":"last","prompt":"x"}', 'last'],
  ])('of %s takes the last text, if any', async (_, body, model) => {
    expect((await parse(COMPLETIONS, body)).model).toBe(model);
  });

  it.each([
    [
      '{"model": "m" , "prompt":"h\\u00e9", "seed":9007199254740993}',
      '{"model": "new\\"" , "prompt":"h\\u00e9", "seed":9007199254740993}',
    ],
    ['{"model":"a","model":"b","prompt":"x"}\n', '{"model":"new\\"","prompt":"x"}\n'],
    ['{"prompt":"x"}', '{"prompt":"x","model":"new\\""}'],
  ])('writes another model into %s and leaves the rest as it is', async (body, expected) => {
    const { withModel } = await parse(COMPLETIONS, body);
    expect(withModel?.('new"').toString()).toBe(expected);
  });

  it.each([
    ['broken JSON', '{"prompt":'],
    ['something other than an object', '[1]'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['nothing', ''],
  ])('refuses %s', async (_, body) => {
    const parsing = new OpenAiParser().parse(Buffer.from(body), new Map(), COMPLETIONS);
    await expect(parsing).rejects.toMatchObject({
      code: 'BadRequest',
      message: expect.stringMatching(/^error unmarshaling request bodyMap: .* at byte \d+$/),
    });
  });

  it.each([
    [CHAT, {}, 'invalid chat completions request: must have valid messages field'],
    [CHAT, { messages: [] }, 'invalid chat completions request: must have valid messages field'],
    [CHAT, { messages: 'x' }, 'invalid chat completions request: must have valid messages field'],
    [CHAT, { messages: ['x'] }, 'invalid chat completions request: must have valid messages field'],
    [COMPLETIONS, {}, 'invalid completions request: must have prompt field'],
    [COMPLETIONS, { prompt: null }, 'invalid completions request: must have prompt field'],
    [COMPLETIONS, { prompt: '' }, 'invalid completions request: must have prompt field'],
    [COMPLETIONS, { prompt: [] }, 'invalid completions request: must have prompt field'],
    [COMPLETIONS, { prompt: { a: 1 } }, 'invalid completions request: must have prompt field'],
    [COMPLETIONS, { prompt: ['a', 1] }, 'prompt[1] is not a string as the others are'],
    [COMPLETIONS, { prompt: [1, 'a'] }, 'prompt[1] is not a token id from 0 to 4294967295'],
    [COMPLETIONS, { prompt: [[1], 2] }, 'prompt[1] is not an array of token ids'],
    [COMPLETIONS, { prompt: [1, 4294967296] }, 'prompt[1] is not a token id from 0 to 4294967295'],
    ['/v1/embeddings', {}, 'invalid embeddings request: must have input field'],
    ['/v1/responses', { input: null }, 'invalid responses request: must have input field'],
    ['/v1/conversations', {}, 'invalid conversations request: must have items field'],
    ['/v1/images/generations', { prompt: 1 }, 'invalid images generations request: must have prompt field'],
  ])('%s refuses %j', async (path, body, text) => {
    await expect(parse(path, body)).rejects.toMatchObject({ code: 'BadRequest', message: text });
  });

  it.each([
    { prompt: [1, 2, 4294967295], expected: [[1, 2, 4294967295]] },
    { prompt: [[1, 2], [3]], expected: [[1, 2], [3]] },
  ])('takes the ids of $prompt as they are', async ({ prompt, expected }) => {
    const parsed = await parse(COMPLETIONS, { prompt });
    expect(idsOf(parsed)).toEqual(expected);
    expect(parsed.words).toEqual([]);
  });

  it.each([
    { prompt: 'a', expected: [['text "a"']] },
    { prompt: ['a', 'b'], expected: [['text "a"'], ['text "b"']] },
  ])('has a prompt for each text of $prompt', async ({ prompt, expected }) => {
    expect(shown(await parse(COMPLETIONS, { prompt }))).toEqual(expected);
  });

  it('has tools, roles and contents of a chat in their order', async () => {
    const messages = [
      { role: 'system', content: 'be kind' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'what' }, 'is', { text: 'this' }, { type: 'other', text: 'no' }],
      },
      { role: 'assistant', content: null, tool_calls: [{}] },
    ];
    expect(shown(await parse(CHAT, { tools: [{ b: 1 }], messages }))).toEqual([
      [
        'json [{"b":1}]',
        ...['"system"', '"be kind"', '"user"', '"what"', '"is"', '"this"', '"assistant"'].map((text) => `text ${text}`),
      ],
    ]);
  });

  it.each([
    [{ type: 'image_url', image_url: { url: 'u' } }, 'image "u"'],
    [{ type: 'image_url', image_url: 'u' }, 'image "u"'],
    [{ image_url: 'u' }, 'image "u"'],
    [{ image_url: { url: 'u' } }, 'image "u"'],
    [{ type: 'input_image', image_url: 'u' }, 'image "u"'],
    [{ type: 'video_url', video_url: { url: 'u' } }, 'video "u"'],
    [{ type: 'audio_url', audio_url: { url: 'u' } }, 'audio "u"'],
    [{ type: 'input_audio', input_audio: { data: 'd', format: 'wav' } }, 'audio "d" "wav"'],
    [{ type: 'image_url' }, 'image'],
  ])('finds the media in %j', async (part, expected) => {
    const parsed = await parse(CHAT, message([part]));
    expect(shown(parsed)).toEqual([['text "user"', expected]]);
    expect(parsed.hasMedia).toBe(true);
  });

  it('finds none in a text about them', async () => {
    expect((await parse(CHAT, message('image_url'))).hasMedia).toBe(false);
  });

  it('takes the tokens that stand beside the messages', async () => {
    const features = {
      mm_hashes: { image: ['h2', 'h1'] },
      mm_placeholders: {
        image: [
          { offset: 2, length: 1 },
          { offset: 0, length: 2 },
        ],
      },
    };
    const parsed = await parse(CHAT, { ...message('hi'), tokens: { token_ids: [5, 6, 7], features } });
    expect(parsed.prompts()).toEqual([
      {
        ids: new Uint32Array([5, 6, 7]),
        features: [
          { modality: 'image', hash: 'h1', offset: 0, length: 2 },
          { modality: 'image', hash: 'h2', offset: 2, length: 1 },
        ],
      },
    ]);
    expect(parsed.hasMedia).toBe(true);
    expect(parsed.words).toEqual([]);
  });

  it.each([{ tokens: 5 }, { tokens: { token_ids: [] } }, { tokens: { token_ids: null } }, { tokens: {} }])(
    'reads the words where there is only %j beside them',
    async (extra) => {
      expect(shown(await parse(CHAT, { ...message('hi'), ...extra }))).toEqual([['text "user"', 'text "hi"']]);
    },
  );

  describe('the tokens of a chat', () => {
    const BODY =
      '{ "model":"m", "messages":[{"role":"user","content":"hi"}], "tokens":{"token_ids":[5,6]}, "seed":1.0 }';
    const parsing = (params: { readTokensField?: boolean; stripTokensField?: boolean }, body = BODY) =>
      new OpenAiParser({ readTokensField: true, stripTokensField: false, ...params }).parse(
        Buffer.from(body),
        new Map(),
        CHAT,
      );

    it('are not its prompt where they are not to be read', async () => {
      const parsed = await parsing({ readTokensField: false });
      expect(parsed.prompts()).toEqual([]);
      expect(shown(parsed)).toEqual([['text "user"', 'text "hi"']]);
    });

    it('stay in the body by default', async () => {
      const { isChanged, withModel } = await parsing({});
      expect(isChanged).toBeUndefined();
      expect(withModel?.('m').toString()).toBe(BODY);
    });

    it.each([
      ['m', '"m"'],
      ['other', '"other"'],
    ])('are taken out where they are to be, and nothing else, for the model %s', async (model, written) => {
      const { isChanged, withModel, prompts } = await parsing({ stripTokensField: true });
      const body = withModel?.(model).toString() ?? '';
      expect(isChanged).toBe(true);
      expect(JSON.parse(body)).toEqual({ model, messages: [{ role: 'user', content: 'hi' }], seed: 1 });
      expect(body).toContain(`"model":${written}, "messages"`);
      expect(body).toContain('"seed":1.0');
      expect(prompts()[0]?.ids).toEqual(new Uint32Array([5, 6]));
    });

    it('stay where they are a field of the client’s own', async () => {
      const { isChanged } = await parsing({ stripTokensField: true }, BODY.replace('{"token_ids":[5,6]}', '7'));
      expect(isChanged).toBeUndefined();
    });
  });

  it('refuses tokens that are none, and features that lie outside of them', async () => {
    const features = { mm_hashes: { image: ['h'] }, mm_placeholders: { image: [{ offset: 1, length: 1 }] } };
    for (const tokens of [{ token_ids: [-1] }, { token_ids: [1], features }]) {
      await expect(parse(CHAT, { ...message('hi'), tokens })).rejects.toMatchObject({ code: 'BadRequest' });
    }
  });

  it.each([
    ['/v1/embeddings', { input: 'a' }, [['json "a"']]],
    ['/v1/conversations', { items: [1] }, [['json [1]']]],
    ['/v1/images/generations', { prompt: 'a' }, [['text "a"']]],
    ['/v1/responses', { input: 'a' }, [['[{"input":', 'json "a"', '}', ']']]],
    [
      '/v1/responses',
      { input: 'a', instructions: 'b' },
      [['[{"instructions":', 'json "b"', '}', ',{"input":', 'json "a"', '}', ']']],
    ],
  ])('%s has the prompt of %j', async (path, body, expected) => {
    expect(shown(await parse(path, body))).toEqual(expected);
  });

  it('takes the ids of an embedding', async () => {
    expect(idsOf(await parse('/v1/embeddings', { input: [1, 2] }))).toEqual([[1, 2]]);
  });

  it.each([
    [CHAT, { ...message('x'), max_completion_tokens: 3, max_tokens: 4 }, 3],
    [CHAT, { ...message('x'), max_completion_tokens: null, max_tokens: 4 }, 4],
    [COMPLETIONS, { prompt: 'x', max_tokens: 'many' }, undefined],
    ['/v1/responses', { input: 'x', max_output_tokens: 5 }, 5],
  ])('%s limits the answer of %j', async (path, body, expected) => {
    expect((await parse(path, body)).maxTokens).toBe(expected);
  });

  it.each([
    ['/v1/chat/completions/render', 'chat'],
    ['/v1/completions/render', 'completions'],
    ['/prefix/v1/chat/completions', 'chat'],
  ])('%s is read as %s', async (path, rendering) => {
    const body = { prompt: 'x', messages: [{ role: 'user', content: 'x' }] };
    expect((await parse(path, body)).rendering).toBe(rendering);
  });
});
