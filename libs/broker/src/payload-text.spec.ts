import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonValue } from '#json';
import { textBytes } from './payload-text.ts';

const bytesOf = async (json: string): Promise<string> =>
  (await textBytes(JsonValue.read(Buffer.from(json)))).toString();

describe('textBytes', () => {
  it.each([
    ['""', ''],
    ['"a"', 'a'],
    ['"{\\"a\\":\\"b\\\\n\\"}"', '{"a":"b\\n"}'],
    ['"\\b\\f\\n\\r\\t\\/\\\\"', '\b\f\n\r\t/\\'],
    ['"\\u0000\\u00e9\\u4E2D"', '\u0000\u00e9\u4e2d'],
    ['"\\ud83d\\uDE00"', '\u{1f600}'],
    ['"\u{1f600}\u00e9"', '\u{1f600}\u00e9'],
    ['"\\ud83d"', '\ufffd'],
    ['"\\ude00\\ud83d\\ud83d\\ude00x"', '\ufffd\ufffd\u{1f600}x'],
    ['"\\ud83d\\n"', '\ufffd\n'],
  ])('of %j are %j', async (json, text) => {
    expect(await bytesOf(json)).toBe(text);
  });

  it('are what JSON.parse gives, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await bytesOf(JSON.stringify(text))).toBe(text);
      }),
    );
  });

  it('are found in the middle of something else', async () => {
    const source = Buffer.from('{"a":"x\\n","b":"y\\t"}');
    const value = JsonValue.read(source).member('a');
    expect(value && (await textBytes(value)).toString()).toBe('x\n');
  });
});
