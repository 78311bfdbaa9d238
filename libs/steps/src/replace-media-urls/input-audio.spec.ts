import { describe, expect, it } from '@jest/globals';
import { checkInputAudio } from './input-audio.ts';
import type { JsonText } from './json-text.ts';
import { DEFAULT_MEDIA_TYPES } from './media-types.ts';
import type { ModalityRules } from './media-rules.ts';

const AUDIO: ModalityRules = { types: DEFAULT_MEDIA_TYPES.audio, maxBytes: 100, maxInlineBytes: 100 };
const PARAM = 'messages[0].content[0]';

function inJson(text: string | undefined): JsonText | undefined {
  return text === undefined ? undefined : { bytes: Buffer.from(text), escaped: text.includes('\\') };
}

function check(data: string | undefined, format: string | undefined, rules = AUDIO): Promise<unknown> {
  const audio = { data: inJson(data), format: inJson(format) };
  return checkInputAudio(audio, rules, PARAM).catch((error: unknown) => error);
}

describe('checkInputAudio', () => {
  it.each(['wav', 'mp3', 'flac', 'opus', 'ogg', 'webm', ' MP3 ', 'm\\u0070\\u0033', '\\twav\\n'])(
    'accepts the format %j',
    async (format) => {
      expect(await check('AAAA', format)).toBeUndefined();
    },
  );

  it.each([undefined, '', 'exe', 'audio/wav', 'mp3'.padEnd(200)])('refuses the format %j', async (format) => {
    expect(await check('AAAA', format)).toMatchObject({
      code: 'invalid_media',
      param: PARAM,
      message: `${PARAM}: unsupported input_audio format, expected one of wav, mp3, flac, opus, ogg, webm`,
    });
  });

  it.each([undefined, ''])('refuses %j as data', async (data) => {
    expect(await check(data, 'mp3')).toMatchObject({
      code: 'invalid_media',
      param: PARAM,
      message: `${PARAM}: input_audio carries no base64 data`,
    });
  });

  it('compares the type of the format with the list', async () => {
    const rules = { ...AUDIO, types: new Set(['audio/mpeg']) };
    expect(await check('AAAA', 'mp3', rules)).toBeUndefined();
    expect(await check('AAAA', 'wav', rules)).toMatchObject({ code: 'invalid_media', param: PARAM });
  });

  it('accepts exactly the cap and not one byte more', async () => {
    expect(await check(Buffer.alloc(100).toString('base64'), 'wav')).toBeUndefined();
    expect(await check(Buffer.alloc(101).toString('base64'), 'wav')).toMatchObject({
      code: 'invalid_media',
      message: `${PARAM}: the audio is larger than 100 bytes`,
    });
  });
});
