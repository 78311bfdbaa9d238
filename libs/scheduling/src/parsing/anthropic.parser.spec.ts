import { describe, expect, it } from '@jest/globals';
import type { ParsedRequest, PromptPiece } from '../scheduling-request.ts';
import { AnthropicParser } from './anthropic.parser.ts';

const parse = (body: unknown): Promise<ParsedRequest> => new AnthropicParser().parse(Buffer.from(JSON.stringify(body)));
const ask = (content: unknown, more: object = {}) => ({
  model: 'm',
  max_tokens: 5,
  messages: [{ role: 'user', content }],
  ...more,
});

/** Pieces in one line each. */
function shown({ words = [] }: ParsedRequest): readonly (readonly string[])[] {
  return words.map((pieces) => pieces.map(showPiece));
}

function showPiece(piece: PromptPiece): string {
  if (piece.kind === 'literal') return piece.bytes.toString();
  if (piece.kind !== 'media') return `${piece.kind} ${piece.value.bytes.toString()}`;
  return [piece.modality, ...piece.content.map((value) => value.bytes.toString())].join(' ');
}

describe('AnthropicParser', () => {
  it('reads model, stream and the most tokens', async () => {
    expect(await parse(ask('hi', { stream: true }))).toMatchObject({ model: 'm', isStream: true, maxTokens: 5 });
  });

  it('takes tools, the system prompt and the messages for the prompt', async () => {
    const tools = [{ name: 't', input_schema: {} }];
    const system = [{ type: 'text', text: 'be kind' }];
    expect(shown(await parse(ask('hi', { system, tools })))).toEqual([
      [`json ${JSON.stringify(tools)}`, 'text "be kind"', 'text "user"', 'text "hi"'],
    ]);
  });

  it.each([
    [{ type: 'image', source: { type: 'url', url: 'https://a/b.png' } }, 'image "https://a/b.png"'],
    [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }, 'image "image/png" "AAAA"'],
    [{ type: 'tool_result', tool_use_id: 'x', content: 'found' }, 'text "found"'],
    [{ type: 'tool_result', content: [{ type: 'text', text: 'found' }] }, 'text "found"'],
    [{ type: 'text', text: 'plain' }, 'text "plain"'],
  ])('reads the block %j', async (block, expected) => {
    const parsed = await parse(ask([block]));
    expect(shown(parsed)[0]?.slice(1)).toEqual([expected]);
    expect(parsed.hasMedia).toBe(block.type === 'image');
  });

  it('leaves blocks out that it does not know', async () => {
    const parsed = await parse(ask([{ type: 'thinking', thinking: 'hm' }, 5, null, { type: 'image' }]));
    expect(shown(parsed)[0]?.slice(1)).toEqual(['image']);
  });

  it.each([{ messages: [] }, { messages: 'hi' }, { messages: [5] }, {}])('refuses %j', async (body) => {
    await expect(parse({ model: 'm', ...body })).rejects.toMatchObject({
      code: 'BadRequest',
      message: 'invalid messages request: must have valid messages field',
    });
  });

  it('writes another model, and nothing else', async () => {
    const { withModel } = await new AnthropicParser().parse(
      Buffer.from('{ "model": "m", "messages": [{}], "n": 1.0 }'),
    );
    expect(withModel?.('x').toString()).toBe('{ "model": "x", "messages": [{}], "n": 1.0 }');
  });
});
