import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { encodeBase64, exceedsDecoded } from './base64-text.ts';

const PIECE = 768 * 1024;

describe('encodeBase64', () => {
  it.each([0, 1, 2, 3, 4, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 2, 3 * PIECE])(
    'writes the text of %d bytes',
    async (size) => {
      const bytes = randomBytes(size);
      const text = await encodeBase64(bytes);
      expect(text.equals(Buffer.from(bytes.toString('base64'), 'latin1'))).toBe(true);
    },
  );

  it('keeps texts apart that are written at the same time', async () => {
    const all = [randomBytes(3 * PIECE + 1), randomBytes(2 * PIECE), randomBytes(4 * PIECE + 2)];
    const texts = await Promise.all(all.map(encodeBase64));
    const decoded = texts.map((text) => Buffer.from(text.toString('latin1'), 'base64'));
    expect(all.map((bytes, index) => decoded[index]?.equals(bytes))).toEqual([true, true, true]);
  });

  it('lets others have their turn between pieces', async () => {
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    await encodeBase64(Buffer.alloc(16 * PIECE));
    clearInterval(counter);
    expect(turns).toBeGreaterThan(0);
  });
});

describe('exceedsDecoded', () => {
  const sizes = [0, 1, 2, 3, 4, 5, 299, 300, 301];

  const writers = {
    'as it is': (text: string) => text,
    'with slashes escaped': (text: string) => text.replaceAll('/', '\\/'),
    'with equals signs escaped': (text: string) => text.replaceAll('=', '\\u003D'),
    'with every character escaped': (text: string) =>
      text.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  };

  it.each(Object.entries(writers))('measures exactly what is written %s', async (_, write) => {
    for (const size of sizes) {
      const bytes = Buffer.from(write(Buffer.alloc(size, 0xff).toString('base64')), 'latin1');
      const text = { bytes, escaped: bytes.includes('\\') };
      expect([await exceedsDecoded(text, size), await exceedsDecoded(text, size - 1)]).toEqual([false, true]);
    }
  });

  it('measures text without padding', async () => {
    const text = { bytes: Buffer.from('AAA'), escaped: false };
    expect([await exceedsDecoded(text, 2), await exceedsDecoded(text, 1)]).toEqual([false, true]);
  });

  it('lets others have their turn while it goes through a long escaped text', async () => {
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    const exceeds = await exceedsDecoded(
      { bytes: Buffer.from('\\/'.repeat(4 * 1024 * 1024)), escaped: true },
      3 * 1024 * 1024,
    );
    clearInterval(counter);
    expect(exceeds).toBe(false);
    expect(turns).toBeGreaterThan(0);
  });
});
