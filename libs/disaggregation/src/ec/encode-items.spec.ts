import { describe, expect, it } from '@jest/globals';
import { JsonObject, JsonValue } from '#json';
import { encodeItems, urlOf } from './encode-items.ts';

const image = (url: string): object => ({ type: 'image_url', image_url: { url } });
const video = (url: string): object => ({ type: 'video_url', video_url: { url } });
const sound = (data: string): object => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });
const text = { type: 'text', text: 'hi' };

async function items(...contents: readonly unknown[]): Promise<unknown[]> {
  const messages = contents.map((content) => ({ role: 'user', content }));
  const found = await encodeItems(JsonObject.of(Buffer.from(JSON.stringify({ messages }))));
  return found.map(({ bytes }): unknown => JSON.parse(bytes.toString()));
}

describe('encodeItems', () => {
  it.each([
    ['a text', ['hi'], 0],
    ['an image', [[image('a')]], 1],
    ['an image, sound and text', [[image('a'), { type: 'audio_url', audio_url: { url: 'b' } }, text]], 2],
    ['sound that came along', [[sound('AA')]], 1],
    ['a video', [[video('a')]], 1],
    ['two messages', [[image('a')], 'hi', [image('b'), text]], 2],
    ['a part of another type', [[{ type: 'image', image: { url: 'a' } }]], 0],
    ['a part without a type', [[{ image_url: { url: 'a' } }]], 0],
  ])('finds in %s as many items as there are', async (_, contents, count) => {
    expect(await items(...contents)).toHaveLength(count);
  });

  it('gives the parts as they came, in their order', async () => {
    const part = '{ "image_url":{"detail":"low", "url":"a"}, "type":"image_url", "x":9007199254740993 }';
    const body = JsonObject.of(Buffer.from(`{"messages":[{"content":[${part},${JSON.stringify(video('b'))}]}]}`));
    const found = await encodeItems(body);
    expect(found.map(({ bytes }) => bytes.toString())).toEqual([part, JSON.stringify(video('b'))]);
  });

  it.each([
    ['two images', [image('a'), image('b')], 2],
    ['an image twice', [image('a'), image('a')], 1],
    ['an image twice, and one between', [image('a'), image('b'), image('a')], 2],
    ['a video twice', [video('a'), video('a')], 1],
    ['an image and a video of one URL', [image('a'), video('a')], 1],
    ['sound that came along twice', [sound('AA'), sound('AA')], 2],
    ['two parts without a URL', [image('a'), { type: 'image_url' }, { type: 'image_url' }], 3],
    ['large media twice', [image(`data:,${'A'.repeat(100_000)}`), image(`data:,${'A'.repeat(100_000)}`)], 1],
    ['large media of one size', [image(`data:,${'A'.repeat(100_000)}`), image(`data:,${'B'.repeat(100_000)}`)], 2],
  ])('has of %s so many items', async (_, content, count) => {
    expect(await items(content)).toHaveLength(count);
  });

  it('takes a URL for the same however it is escaped', async () => {
    const parts = String.raw`{"type":"image_url","image_url":{"url":"a\/b"}},{"type":"image_url","image_url":{"url":"a/\u0062"}}`;
    expect(await encodeItems(JsonObject.of(Buffer.from(`{"messages":[{"content":[${parts}]}]}`)))).toHaveLength(1);
  });

  it.each(['{}', '{"messages":"x"}', '{"prompt":"a image_url"}', '{"input":[{"content":[{"type":"input_image"}]}]}'])(
    'finds nothing in %s',
    async (body) => {
      expect(await encodeItems(JsonObject.of(Buffer.from(body)))).toEqual([]);
    },
  );
});

describe('urlOf', () => {
  it.each([
    ['image_url', '{"image_url":{"url":"a"}}', 'a'],
    ['audio_url', '{"audio_url":{"url":"b"}}', 'b'],
    ['video_url', '{"video_url":{"url":"c"}}', 'c'],
    ['input_image', '{"image_url":"d"}', 'd'],
    ['input_audio', '{"input_audio":{"data":"AA"}}', undefined],
    ['text', '{"text":"hi"}', undefined],
    ['image_url', '{"image_url":{}}', undefined],
    ['image_url', '{"image_url":"a"}', undefined],
    ['image_url', '{"image_url":{"url":5}}', undefined],
  ])('of a part of type %s, %s, is %s', (type, part, url) => {
    expect(urlOf(type, JsonValue.read(Buffer.from(part)))?.string).toBe(url);
  });
});
