import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../control/json-value.ts';
import { mediaItem } from '../render/media-item.ts';
import type { MediaItem } from '../render/media-item.ts';
import { processorKwargs } from '../render/processor-kwargs.ts';
import { SPECIAL } from '../render/tokenizer.ts';
import { RED, imagePart } from '../testing/hand-driver.ts';
import { encodeItem } from './encode.checks.ts';

const item = mediaItem(imagePart(RED), 'part') as MediaItem; // RED is an image
const ids = [SPECIAL.bos, ...Array<number>(item.length).fill(SPECIAL.image)];
const features = {
  mm_hashes: { image: [item.hash] },
  mm_placeholders: { image: [{ offset: 1, length: item.length }] },
};
const message = (...content: unknown[]): JsonObject => ({ role: 'user', content });

const chat = {
  model: 'm',
  messages: [message(imagePart(RED))],
  tokens: { token_ids: ids, features },
  max_tokens: 1,
  stream: false,
};
const generate = {
  model: 'm',
  token_ids: ids,
  features: { ...features, kwargs_data: { image: [processorKwargs(item)] } },
  sampling_params: { max_tokens: 1 },
  stream: false,
};

describe('encodeItem', () => {
  it('takes one image in a chat message, and says its hash and length', () => {
    expect(encodeItem('chat', chat)).toEqual(item);
    expect(encodeItem('chat', { ...chat, tokens: undefined })).toEqual(item);
  });

  it('takes one image as processor output, or as a null that the cache resolves', () => {
    expect(encodeItem('generate', generate)).toMatchObject({ hash: item.hash, length: item.length });
    const cached = { ...generate, features: { ...features, kwargs_data: { image: [null] } } };
    expect(encodeItem('generate', cached)).toMatchObject({ hash: item.hash });
  });

  it('takes one image as an input item of responses', () => {
    const input = [message({ type: 'input_image', image_url: RED })];
    expect(encodeItem('responses', { model: 'm', input, max_output_tokens: 1, store: false, stream: false })).toEqual(
      item,
    );
  });

  const tokens = (change: JsonObject): JsonObject => ({ tokens: { ...chat.tokens, ...change } });
  const other = 'f'.repeat(32);
  const refusedChats: { what: string; change: JsonObject; says: string }[] = [
    {
      what: 'a text beside the image',
      change: { messages: [message({ type: 'text', text: 'a' }, imagePart(RED))] },
      says: 'got 2 parts',
    },
    { what: 'two messages', change: { messages: [chat.messages[0], chat.messages[0]] }, says: 'one message' },
    { what: 'a text alone', change: { messages: [message({ type: 'text', text: 'a' })] }, says: 'not a media part' },
    {
      what: 'a URL',
      change: { messages: [message(imagePart('http://img.example/a.png'))] },
      says: 'must be a data: URI, got http:',
    },
    { what: 'a larger cap', change: { max_tokens: 5 }, says: 'max_tokens must be 1' },
    { what: 'transfer parameters', change: { kv_transfer_params: {} }, says: 'encode takes no kv_transfer_params' },
    {
      what: 'a first token that is not BOS',
      change: tokens({ token_ids: ids.with(0, 7) }),
      says: 'the first token must be',
    },
    {
      what: 'a text token among the placeholders',
      change: tokens({ token_ids: ids.with(3, 7) }),
      says: 'token 3 must be the placeholder',
    },
    { what: 'a placeholder too many', change: tokens({ token_ids: [...ids, SPECIAL.image] }), says: 'got 14 ids' },
    {
      what: 'the hash of another image',
      change: tokens({ features: { ...features, mm_hashes: { image: [other] } } }),
      says: `tokens name the hash ${other}`,
    },
    {
      what: 'the length of another image',
      change: tokens({
        token_ids: ids.slice(0, 3),
        features: { ...features, mm_placeholders: { image: [{ offset: 1, length: 2 }] } },
      }),
      says: 'tokens have 2 placeholders, the part takes 12',
    },
    {
      what: 'another modality',
      change: tokens({
        token_ids: [SPECIAL.bos, SPECIAL.audio],
        features: { mm_hashes: { audio: [other] }, mm_placeholders: { audio: [{ offset: 1, length: 1 }] } },
      }),
      says: 'of kind audio',
    },
    { what: 'processor output in chat form', change: tokens({ features: generate.features }), says: 'kwargs_data' },
    { what: 'no item', change: tokens({ features: undefined }), says: 'got 0' },
  ];
  it.each(refusedChats)('refuses a chat with $what', ({ change, says }) => {
    expect(() => encodeItem('chat', { ...chat, ...change })).toThrow(says);
  });

  const kwargs = (...image: unknown[]): JsonObject => ({ features: { ...features, kwargs_data: { image } } });
  const refusedGenerates: { what: string; change: JsonObject; says: string }[] = [
    { what: 'an empty text as processor output', change: kwargs(''), says: 'must be base64 text or null' },
    { what: 'text that is not msgpack', change: kwargs('S1dBUkdTLUE='), says: 'is not msgpack' },
    { what: 'two outputs for one item', change: kwargs(null, null), says: '2 entries for 1 items' },
    {
      what: 'the output of an image of another size',
      change: kwargs(processorKwargs({ ...item, grid: [1, 2, 3], length: 6 })),
      says: 'of an item of 6 tokens, not 12',
    },
  ];
  it.each(refusedGenerates)('refuses a generate with $what', ({ change, says }) => {
    expect(() => encodeItem('generate', { ...generate, ...change })).toThrow(says);
  });

  it('refuses completions', () => {
    expect(() => encodeItem('completions', { prompt: 'a', max_tokens: 1, stream: false })).toThrow('nothing to encode');
  });
});
