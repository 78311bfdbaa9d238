import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { joinRope } from '#json';
import { jsonText } from './json-text.ts';

const written = async (bytes: Buffer): Promise<string> => joinRope(await jsonText(bytes)).toString();

describe('jsonText', () => {
  it('gives any text back to whoever reads it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        expect(JSON.parse(await written(Buffer.from(text)))).toBe(text);
      }),
    );
  });

  it('is JSON whatever the bytes are, with U+FFFD for what is no UTF-8', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), async (bytes) => {
        const buffer = Buffer.from(bytes);
        expect(JSON.parse(await written(buffer))).toBe(buffer.toString('utf8'));
      }),
    );
  });

  it('keeps characters whole that stand where a piece ends, and leaves the event loop free', async () => {
    for (const tail of [Buffer.alloc(0), Buffer.from([0xff])]) {
      const bytes = Buffer.concat([Buffer.from('x漢"'.repeat(400_000)), tail]);
      let turns = 0;
      const timer = setInterval(() => turns++, 0);
      const text = await written(bytes);
      clearInterval(timer);
      expect(JSON.parse(text) === bytes.toString('utf8')).toBe(true);
      expect(turns).toBeGreaterThan(0);
    }
  });
});
