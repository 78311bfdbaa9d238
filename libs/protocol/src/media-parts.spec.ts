import { describe, expect, it } from '@jest/globals';
import { JsonObject } from '#json';
import { findMediaParts, placeOf } from './media-parts.ts';
import { MAX_ENTRIES } from './multimodal.ts';
import type { RequestFormat } from './request-format.ts';

const IMAGE = '{"type":"image_url","image_url":{"url":"http://a/1.png"}}';
const AUDIO = '{"type":"audio_url","audio_url":{"url":"http://a/1.wav"}}';
const VIDEO = '{"type":"video_url","video_url":{"url":"http://a/1.mp4"}}';
const INLINE = '{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}';
const INPUT_IMAGE = '{"type":"input_image","image_url":"http://a/1.png"}';
const TEXT = '{"type":"text","text":"image_url"}';

const find = (body: string, format: RequestFormat = 'chat') => findMediaParts(JsonObject.of(Buffer.from(body)), format);
const message = (...parts: readonly string[]): string => `{"role":"user","content":[${parts.join(',')}]}`;
const chat = (...messages: readonly string[]): string => `{"model":"m","messages":[${messages.join(',')}]}`;

/** Modality, position and path of every part found. */
async function places(body: string, format?: RequestFormat): Promise<string[]> {
  const parts = await find(body, format);
  return parts.map(({ modality, index, param }) => `${modality} ${index} ${param}`);
}

describe('findMediaParts', () => {
  describe('in a chat request', () => {
    it('finds every kind, counted by modality, each with its path', async () => {
      const body = chat(message(TEXT, VIDEO, IMAGE, INLINE), message(TEXT), message(INPUT_IMAGE, AUDIO));
      expect(await places(body)).toEqual([
        'video 0 messages[0].content[1]',
        'image 0 messages[0].content[2]',
        'audio 0 messages[0].content[3]',
        'image 1 messages[2].content[0]',
        'audio 1 messages[2].content[1]',
      ]);
    });

    it('gives each part with its type and its own bytes', async () => {
      const [part] = await find(chat(message(TEXT, ` ${INLINE} `)));
      expect(part?.type).toBe('input_audio');
      expect(part?.value.bytes.toString()).toBe(INLINE);
    });

    it('reads keys and types through their escapes', async () => {
      const part = String.raw`{"typ\u0065":"image\u005furl","image_url":{"url":"http://a/1.png"}}`;
      const body = String.raw`{"mess\u0061ges":[{"c\u006fntent":[${part}]}]}`;
      expect(await places(body)).toEqual(['image 0 messages[0].content[0]']);
    });

    it('reads the last of repeated keys', async () => {
      const part = '{"type":"image_url","type":"text","image_url":{"url":"http://a/1.png"}}';
      const body = `{"messages":[${message(IMAGE)}],"messages":[{"content":[${IMAGE}],"content":[${part},${AUDIO}]}]}`;
      expect(await places(body)).toEqual(['audio 0 messages[0].content[1]']);
    });

    it.each([
      ['a part without type', message('{"image_url":{"url":"http://a/1.png"}}')],
      ['a part whose type is no string', message('{"type":["image_url"]}')],
      ['a part of a type that is not media', message(TEXT, '{"type":"image_embeds"}', '{"type":"IMAGE_URL"}')],
      ['a string as part', message('"image_url"')],
      ['parts that are no objects', message('null', '1', '["image_url"]', 'true')],
      ['content that is a string', '{"role":"user","content":"image_url"}'],
      ['content that is one part, not a list', `{"role":"user","content":${IMAGE}}`],
      ['no content', '{"role":"user","image_url":1}'],
      ['a message that is no object', '"image_url"'],
      ['media under another key', `{"role":"user","content":[],"output":[${IMAGE}]}`],
    ])('does not take for media: %s', async (_, written) => {
      expect(await places(chat(written))).toEqual([]);
    });

    it.each([
      ['no messages', '{"model":"image_url"}'],
      ['messages that are no list', `{"messages":{"content":[${IMAGE}]}}`],
      ['empty messages', '{"messages":[],"x":"image_url"}'],
      ['an input as responses has it', `{"messages":[],"input":[${message(INPUT_IMAGE)}]}`],
    ])('finds nothing with %s', async (_, body) => {
      expect(await places(body)).toEqual([]);
    });
  });

  describe('in a responses request', () => {
    it('finds images in content and in output, content first', async () => {
      const output = `{"type":"function_call_output","output":[${INPUT_IMAGE}],"content":[${TEXT},${INPUT_IMAGE}]}`;
      expect(await places(`{"input":[${message(INPUT_IMAGE)},${output}]}`, 'responses')).toEqual([
        'image 0 input[0].content[0]',
        'image 1 input[1].content[1]',
        'image 2 input[1].output[0]',
      ]);
    });

    it('takes no other kind of part for media', async () => {
      expect(await places(`{"input":[${message(IMAGE, AUDIO, VIDEO, INLINE)}]}`, 'responses')).toEqual([]);
    });

    it.each(['"image_url"', 'null', `{"content":[${INPUT_IMAGE}]}`])('finds nothing in the input %s', async (input) => {
      expect(await places(`{"input":${input}}`, 'responses')).toEqual([]);
    });
  });

  it.each(['completions', 'generate'] as const)('finds nothing in a %s request', async (format) => {
    expect(await places(`{"messages":[${message(IMAGE)}],"input":[${message(INPUT_IMAGE)}]}`, format)).toEqual([]);
  });

  it('finds as many as a request may have, and refuses one more', async () => {
    const most = new Array<string>(MAX_ENTRIES).fill(IMAGE);
    expect(await find(chat(message(...most)))).toHaveLength(MAX_ENTRIES);
    await expect(find(chat(message(...most), message(IMAGE)))).rejects.toMatchObject({
      name: 'BadRequestError',
      code: 'too_many_media',
      status: 400,
    });
  });

  it('lets the event loop go on in a long prompt', async () => {
    const body = JsonObject.of(Buffer.from(chat(...new Array<string>(20_000).fill(message(TEXT)), message(IMAGE))));
    let hasTurned = false;
    setImmediate(() => (hasTurned = true));
    expect(await findMediaParts(body, 'chat')).toHaveLength(1);
    expect(hasTurned).toBe(true);
  });
});

describe('placeOf', () => {
  it('tells items apart by modality and position', () => {
    const items = ['image', 'audio', '1:image'].flatMap((modality) => [0, 1, 11].map((index) => ({ modality, index })));
    expect(new Set(items.map(placeOf)).size).toBe(items.length);
  });
});
