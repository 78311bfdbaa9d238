import { describe, expect, it } from '@jest/globals';
import { OpenAiParser } from '../parsing/openai.parser.ts';
import { paced } from '../parsing/paced.ts';
import type { TokenizedPrompt } from '../scheduling-request.ts';
import { estimateParams } from './estimate.params.ts';
import { estimateTokens } from './estimate.ts';

const URL = 'https://example.com/a.png';

async function estimate(path: string, body: object, headers: object = {}): Promise<readonly TokenizedPrompt[]> {
  const { words = [] } = await new OpenAiParser().parse(Buffer.from(JSON.stringify(body)), new Map(), path);
  const context = { headers: new Map(Object.entries(headers)), params: estimateParams.parse({}) };
  return paced(estimateTokens(words, context));
}

const chat = (content: unknown, more: object = {}): Promise<readonly TokenizedPrompt[]> =>
  estimate('/v1/chat/completions', { messages: [{ role: 'user', content }], ...more });

/** The bytes that tokens were made of. */
function textOf(prompt: TokenizedPrompt | undefined): string {
  const { buffer, byteOffset, byteLength } = prompt?.ids ?? new Uint32Array();
  return Buffer.from(buffer, byteOffset, byteLength).toString();
}

describe('estimateTokens', () => {
  it('makes one token of four bytes', async () => {
    const [prompt] = await estimate('/v1/completions', { prompt: 'hello world' });
    expect([...(prompt?.ids ?? [])]).toEqual([1819043176, 1870078063, 6581362]);
    expect(prompt?.features).toEqual([]);
  });

  it('makes a prompt of each text', async () => {
    const prompts = await estimate('/v1/completions', { prompt: ['abcd', 'é\n"'] });
    expect(prompts.map(textOf)).toEqual(['abcd', 'é\n"']);
  });

  it('writes tools, roles and contents one behind the other', async () => {
    const [prompt] = await chat([{ type: 'text', text: 'a' }, 'b'], { tools: [{ b: 1, a: { d: 2, c: 'é' } }] });
    expect(textOf(prompt)).toBe('[{"a":{"c":"é","d":2},"b":1}]userab');
  });

  it('writes JSON of the same value the same way', async () => {
    const [one] = await chat('x', { tools: [{ b: [1, null], a: 'y' }] });
    const spaced = '{ "messages":[{"role":"user","content":"x"}], "tools": [ {"a" : "\\u0079", "b":[1, null] } ] }';
    const parsed = await new OpenAiParser().parse(Buffer.from(spaced), new Map(), '/v1/chat/completions');
    const context = { headers: new Map(), params: estimateParams.parse({}) };
    const [another] = await paced(estimateTokens(parsed.words ?? [], context));
    expect(another).toEqual(one);
  });

  it('writes the parts of a response as a list', async () => {
    const [prompt] = await estimate('/v1/responses', { input: 'hi', instructions: 'be kind', tools: [] });
    expect(textOf(prompt)).toBe('[{"instructions":"be kind"},{"tools":[]},{"input":"hi"}]');
  });

  it('puts an image where it stands, as copies of a token of its own', async () => {
    const [prompt] = await chat(['see', { type: 'image_url', image_url: { url: URL } }, 'this']);
    // "user" and "see" take two tokens, the last one filled up
    expect(prompt?.features).toEqual([{ modality: 'image', hash: '9f4fdeae6ee1ceba', offset: 2, length: 225 }]);
    expect([...(prompt?.ids ?? [])].slice(2, 227)).toEqual(new Array(225).fill(1860292282));
    expect(prompt?.ids).toHaveLength(228);
  });

  it('tells media apart by all that they are', async () => {
    const hashOf = async (part: object): Promise<string | undefined> => (await chat([part]))[0]?.features[0]?.hash;
    const wav = await hashOf({ type: 'input_audio', input_audio: { data: 'abc', format: 'wav' } });
    const mp3 = await hashOf({ type: 'input_audio', input_audio: { data: 'abc', format: 'mp3' } });
    const url = await hashOf({ type: 'audio_url', audio_url: { url: 'abcwav' } });
    expect(wav).not.toBe(mp3);
    expect(wav).toBe(url);
  });

  it('does not let a claimed size take memory without end', async () => {
    const part = { type: 'video_url', video_url: { url: 'u' } };
    const headers = { 'x-llm-d-video-duration-seconds': '1e12', 'x-llm-d-video-resolution': '99999x99999' };
    const body = { messages: [{ role: 'user', content: [part, part] }] };
    const [prompt] = await estimate('/v1/chat/completions', body, headers);
    expect(prompt?.features.map(({ length }) => length)).toEqual([2 * 1024 * 1024, 1]);
  });

  it('lets the event loop go on over a long text with many escapes', async () => {
    const { words = [] } = await new OpenAiParser().parse(
      Buffer.from(JSON.stringify({ prompt: '\n'.repeat(800_000) })),
      new Map(),
      '/v1/completions',
    );
    const made = paced(estimateTokens(words, { headers: new Map(), params: estimateParams.parse({}) }));
    expect(made).toBeInstanceOf(Promise);
    expect((await made)[0]?.ids).toHaveLength(200_000);
  });
});
