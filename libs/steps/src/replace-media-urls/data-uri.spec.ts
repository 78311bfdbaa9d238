import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#foundation';
import { checkDataUri, isDataUri } from './data-uri.ts';
import type { JsonText } from './json-text.ts';
import { DEFAULT_MEDIA_TYPES } from './media-types.ts';
import type { ModalityRules } from './media-rules.ts';

const IMAGE: ModalityRules = { types: DEFAULT_MEDIA_TYPES.image, maxBytes: 100, maxInlineBytes: undefined };
const PARAM = 'messages[0].content[1]';

/** Text as it stands between the quotes of a body. */
function inJson(text: string): JsonText {
  return { bytes: Buffer.from(text), escaped: text.includes('\\') };
}

function check(text: string, rules = IMAGE): Promise<void> {
  return checkDataUri(inJson(text), 'image', rules, PARAM);
}

async function refusalOf(text: string, rules = IMAGE): Promise<unknown> {
  return check(text, rules).catch((error: unknown) => error);
}

describe('isDataUri', () => {
  it.each([
    'data:',
    'DATA:image/png;base64,AAAA',
    'dAtA:x',
    '\\u0064\\u0041ta:x',
    'd\\u0061ta\\u003a,',
    '\\u0044\\u0041\\u0054\\u0041\\u003A',
  ])('is true for %j', (text) => {
    expect(isDataUri(inJson(text))).toBe(true);
  });

  it.each(['', 'data', 'data\\u003', 'http://data:x', ' data:x', 'data,:', 'xdata:', '\\\\u0064ata:', 'data\\/:'])(
    'is false for %j',
    (text) => {
      expect(isDataUri(inJson(text))).toBe(false);
    },
  );
});

describe('checkDataUri', () => {
  it.each([
    'data:image/png;base64,AAAA',
    'data:image/jpeg;charset=utf-8;base64,AAAA',
    'DATA:image/png;base64,AAAA',
    'data:image/png;BASE64,AAAA',
    'data:image/PNG;base64,AAAA',
    'data: image/png ; base64 ,AAAA',
    'data:image/png;base64;x=y,AAAA',
    'data:image\\/png;base64,AA\\/A',
    'data:image/png;base64\\u002cAAAA',
    'data:image/png\\u003bbase64,AAAA,BBBB',
    'data:image/png;base64,',
  ])('accepts %s', async (text) => {
    await expect(check(text)).resolves.toBeUndefined();
  });

  it.each([
    ['data:image/png;base64', 'missing comma in data URI'],
    ['data:', 'missing comma in data URI'],
    ['data:image/png,abc', 'data URI must be base64-encoded'],
    ['data:base64,abc', 'data URI must be base64-encoded'],
    ['data:image/png;xbase64,abc', 'data URI must be base64-encoded'],
    ['data:,', 'data URI must be base64-encoded'],
    ['data:;base64,AAAA', 'data URI missing media type'],
    ['data: ;base64,AAAA', 'data URI missing media type'],
    ['data:text/html;base64,AAAA', "the data URI's media type is not allowed for image"],
    ['data:audio/wav;base64,AAAA', "the data URI's media type is not allowed for image"],
    ['data:application/octet-stream;base64,AAAA', "the data URI's media type is not allowed for image"],
    ['data:image/png x;base64,AAAA', "the data URI's media type is not allowed for image"],
  ])('refuses %s: %s', async (text, message) => {
    const error = await refusalOf(text);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'invalid_media', status: 400, param: PARAM, message: `${PARAM}: ${message}` });
  });

  it('gives up on a head that does not end', async () => {
    const error = await refusalOf(`data:image/png;${'x'.repeat(2000)};base64,AAAA`);
    expect(error).toMatchObject({ message: `${PARAM}: missing comma in data URI` });
  });

  it('accepts any type when the list is empty', async () => {
    await expect(check('data:x-any/thing;base64,AAAA', { ...IMAGE, types: new Set() })).resolves.toBeUndefined();
  });

  it('measures the payload alone, and exactly', async () => {
    const rules = { ...IMAGE, maxInlineBytes: 100 };
    const uri = (size: number): string => `data:image/png;base64,${Buffer.alloc(size).toString('base64')}`;
    await expect(check(uri(100), rules)).resolves.toBeUndefined();
    expect(await refusalOf(uri(101), rules)).toMatchObject({
      code: 'invalid_media',
      message: `${PARAM}: the image is larger than 100 bytes`,
    });
  });

  it('does not measure when there is no cap for inline media', async () => {
    await expect(check(`data:image/png;base64,${'A'.repeat(1000)}`)).resolves.toBeUndefined();
  });

  it('reads the head of a large URI only', async () => {
    const bytes = Buffer.alloc(40 * 1024 * 1024, 'A');
    bytes.write('data:image/png;base64,');
    const before = performance.now();
    await checkDataUri({ bytes, escaped: true }, 'image', { ...IMAGE, maxInlineBytes: bytes.length }, PARAM);
    expect(performance.now() - before).toBeLessThan(100);
  });
});
