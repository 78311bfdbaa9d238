import { describe, expect, it } from '@jest/globals';
import { png } from '../media/png.ts';
import { BLUE, RED, imagePart } from '../testing/hand-driver.ts';
import { renderChat, renderResponses, renderText } from './render-prompt.ts';
import { featuresOf } from './rendered-prompt.ts';
import { SPECIAL, tokenize } from './tokenizer.ts';

const { bos, messageStart, messageEnd, mediaStart, mediaEnd, image } = SPECIAL;
const chat = (...content: unknown[]): Record<string, unknown> => ({ messages: [{ role: 'user', content }] });
const wav = Buffer.alloc(6400, 1).toString('base64');

describe('renderChat', () => {
  it('puts BOS first, role markers around each message, and begins the answer', () => {
    const { tokenIds } = renderChat({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello world' },
      ],
    });
    expect(tokenIds).toEqual([
      ...[bos, messageStart, ...tokenize('system'), ...tokenize('Be brief.'), messageEnd],
      ...[messageStart, ...tokenize('user'), ...tokenize('Hello world'), messageEnd],
      ...[messageStart, ...tokenize('assistant')],
    ]);
  });

  it('puts placeholders where the images are, as many as their pixels ask for', () => {
    const { tokenIds, items } = renderChat(chat({ type: 'text', text: 'a' }, imagePart(RED), imagePart(BLUE)));
    const start = 3 + tokenize('a').length;
    expect(tokenIds.slice(start, start + 19)).toEqual([
      ...[mediaStart, ...Array<number>(12).fill(image), mediaEnd],
      ...[mediaStart, ...Array<number>(2).fill(image), mediaEnd, messageEnd],
    ]);
    expect(items).toMatchObject([
      { modality: 'image', offset: start + 1, length: 12, grid: [1, 3, 4] },
      { modality: 'image', offset: start + 15, length: 2, grid: [1, 1, 2] },
    ]);
  });

  it('gives equal images equal hashes, and different ones different', () => {
    const { items } = renderChat(chat(imagePart(RED), imagePart(BLUE), imagePart(RED)));
    const [first, second, third] = items.map(({ hash }) => hash);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(third).toBe(first);
    expect(second).not.toBe(first);
  });

  it('lists hashes and places by modality', () => {
    const audio = { type: 'input_audio', input_audio: { data: wav, format: 'wav' } };
    const video = { type: 'video_url', video_url: { url: `data:video/mp4;base64,${wav}` } };
    const features = featuresOf(renderChat(chat(imagePart(RED), audio, video, imagePart(BLUE))).items);
    expect(Object.keys(features?.mm_hashes ?? {})).toEqual(['image', 'audio', 'video']);
    expect(features?.mm_placeholders.image).toHaveLength(2);
    expect(features?.mm_placeholders.audio).toMatchObject([{ length: 10 }]);
  });

  it.each([
    { pixels: [1, 1], length: 1 },
    { pixels: [28, 28], length: 1 },
    { pixels: [29, 28], length: 2 },
    { pixels: [1000, 1000], length: 1225 },
    { pixels: [2000, 1000], length: 1250 },
    { pixels: [4000, 10], length: 143 },
    { pixels: [60_000, 1], length: 1280 },
  ])(
    'makes $length placeholders of $pixels pixels, never more than 1280',
    ({ pixels: [width = 0, height = 0], length }) => {
      const url = `data:image/png;base64,${png(width, height, [1, 1, 1]).toString('base64')}`;
      expect(renderChat(chat(imagePart(url))).items).toMatchObject([{ length }]);
    },
  );

  it.each([
    { part: { type: 'image_url', image_url: RED } },
    { part: { type: 'input_image', image_url: RED } },
    { part: imagePart(RED.replace('data:image/png;base64', 'DATA:image/png;charset=utf-8;BASE64')) },
  ])('reads the spelling of $part.type', ({ part }) => {
    expect(renderChat(chat(part)).items).toHaveLength(1);
  });

  it('takes strings and parts without a type as text', () => {
    expect(renderChat(chat('hello', { image_url: 'https://img.example/a.png' })).items).toEqual([]);
    expect(renderChat(chat('hello')).tokenIds).toEqual(
      renderChat({ messages: [{ role: 'user', content: 'hello' }] }).tokenIds,
    );
  });

  it('counts tools and tool calls as prompt', () => {
    const plain = renderChat(chat('hello')).tokenIds.length;
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const calls = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
    };
    expect(renderChat({ ...chat('hello'), tools }).tokenIds.length).toBeGreaterThan(plain);
    expect(renderChat({ messages: [{ role: 'user', content: 'hello' }, calls] }).tokenIds.length).toBeGreaterThan(
      plain + 10,
    );
  });

  it.each([
    {
      what: 'an http URL',
      body: chat(imagePart('https://img.example/a.png')),
      says: 'messages[0].content[0] must be a data: URI',
    },
    { what: 'a data URI that is not base64', body: chat(imagePart('data:image/png,abc')), says: 'must be base64' },
    { what: 'a data URI without a comma', body: chat(imagePart('data:image/png;base64')), says: 'must be base64' },
    { what: 'an empty image', body: chat(imagePart('data:image/png;base64,')), says: 'holds no data' },
    {
      what: 'bytes that are no image',
      body: chat(imagePart('data:image/png;base64,AAAA')),
      says: 'not an image that can be identified',
    },
    { what: 'an image without a URL', body: chat({ type: 'image_url', image_url: {} }), says: 'has no URL' },
    {
      what: 'audio without data',
      body: chat({ type: 'input_audio', input_audio: {} }),
      says: 'has no input_audio.data',
    },
    { what: 'a part of an unknown type', body: chat({ type: 'hologram' }), says: 'unknown part type "hologram"' },
    { what: 'no messages', body: {}, says: 'messages must not be empty' },
    { what: 'a message without a role', body: { messages: [{ content: 'a' }] }, says: 'messages[0] has no role' },
    { what: 'a message that is a text', body: { messages: ['a'] }, says: 'messages[0] must be an object' },
    {
      what: 'content that is a number',
      body: { messages: [{ role: 'user', content: 7 }] },
      says: 'messages[0].content must be an array',
    },
  ])('refuses $what', ({ body, says }) => {
    expect(() => renderChat(body)).toThrow(says);
  });
});

describe('renderResponses', () => {
  it('renders a text like the chat message it stands for', () => {
    const asChat = renderChat({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    });
    expect(renderResponses({ instructions: 'Be brief.', input: 'Hi' })).toEqual(asChat);
    expect(renderResponses({ instructions: 'Be brief.', input: [{ role: 'user', content: 'Hi' }] })).toEqual(asChat);
  });

  it('finds images in messages and in the output of functions', () => {
    const input = [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: RED },
        ],
      },
      { type: 'function_call', name: 'f', arguments: '{}', call_id: 'c' },
      { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: BLUE }] },
    ];
    expect(renderResponses({ input }).items).toHaveLength(2);
  });
});

describe('renderText', () => {
  it('is BOS and the text', () => {
    expect(renderText('Hello world').tokenIds).toEqual([bos, ...tokenize('Hello world')]);
  });
});
