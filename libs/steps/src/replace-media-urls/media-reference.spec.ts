import { describe, expect, it } from '@jest/globals';
import { JsonObject } from '#json';
import { findMediaParts } from '#protocol';
import type { RequestFormat } from '#protocol';
import { decodeJsonText } from './json-text.ts';
import { mediaReference } from './media-reference.ts';
import type { MediaReference } from './media-reference.ts';

async function referenceOf(part: string, format: RequestFormat = 'chat'): Promise<MediaReference | undefined> {
  const field = format === 'chat' ? 'messages' : 'input';
  const body = Buffer.from(`{"${field}":[{"content":[{"type":"text"},${part}]}]}`);
  return (await findMediaParts(JsonObject.of(body), format)).map(mediaReference)[0];
}

describe('mediaReference', () => {
  it.each(['image', 'audio', 'video'])('reads the URL of a chat part that holds %s', async (modality) => {
    const reference = await referenceOf(
      `{"type":"${modality}_url","${modality}_url":{"detail":1,"url":"http:\\/\\/x/"}}`,
    );
    expect(reference).toMatchObject({ kind: 'url', modality, index: 0, param: 'messages[0].content[1]' });
    const { url, value } = reference as MediaReference & { kind: 'url' }; // as just matched
    expect([url.escaped, decodeJsonText(url)]).toEqual([true, 'http://x/']);
    expect(value.bytes.toString()).toBe('"http:\\/\\/x/"');
  });

  it.each(['chat', 'responses'] as const)('reads the bare URL of an input_image in a %s request', async (format) => {
    const reference = await referenceOf('{"type":"input_image","image_url":"http://x/"}', format);
    expect(reference).toMatchObject({ kind: 'url', modality: 'image', url: { escaped: false } });
  });

  it('takes the last of repeated keys', async () => {
    const reference = await referenceOf('{"type":"image_url","image_url":{"url":"a","url":"b"}}');
    expect(reference).toMatchObject({ url: { bytes: Buffer.from('b') } });
  });

  it('reads the members of input_audio, and leaves out what is no string', async () => {
    const whole = await referenceOf('{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}');
    const partial = await referenceOf('{"type":"input_audio","input_audio":{"data":5}}');
    expect(whole).toMatchObject({ kind: 'input_audio', audio: { data: { bytes: Buffer.from('AAAA') } } });
    expect(partial).toMatchObject({ kind: 'input_audio', audio: { data: undefined, format: undefined } });
  });

  it.each([
    '{"type":"image_url"}',
    '{"type":"image_url","image_url":{}}',
    '{"type":"image_url","image_url":"http://x/"}',
    '{"type":"image_url","image_url":{"url":""}}',
    '{"type":"image_url","image_url":{"url":5}}',
    '{"type":"image_url","image_url":{"url":null}}',
    '{"type":"video_url","image_url":{"url":"http://x/"}}',
    '{"type":"input_image","image_url":{"url":"http://x/"}}',
  ])('refuses %s', async (part) => {
    await expect(referenceOf(part)).rejects.toMatchObject({
      code: 'invalid_media',
      status: 400,
      param: 'messages[0].content[1]',
      message: expect.stringMatching(
        /^messages\[0\]\.content\[1\]: the (?:image|video) part carries no fetchable URL$/,
      ),
    });
  });
});
