import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonValue } from '#json';
import { paced } from './paced.ts';
import { stringBytes } from './string-bytes.ts';

const read = async (json: string): Promise<Buffer> => paced(stringBytes(JsonValue.read(Buffer.from(json))));

describe('stringBytes', () => {
  it('reads what JSON.parse reads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(await read(JSON.stringify(text))).toEqual(Buffer.from(text));
      }),
    );
  });

  it.each([
    '"\\u0041\\n\\t\\b\\f\\r\\/\\\\\\""',
    '"\\ud83d\\ude00"',
    '"\\ud83d"',
    '"\\ude00x"',
    '"\\ud83dn\\ude00"',
    '"a\\u00e9é"',
  ])('reads the escapes of %s', async (json) => {
    expect(await read(json)).toEqual(Buffer.from(String(JSON.parse(json))));
  });

  it('shares memory with a body that has no escapes', async () => {
    const body = Buffer.from('"abc"');
    const bytes = await paced(stringBytes(JsonValue.read(body)));
    body.write('X', 1);
    expect(bytes.toString()).toBe('Xbc');
  });
});
