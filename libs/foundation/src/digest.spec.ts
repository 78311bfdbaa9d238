import { describe, expect, it } from '@jest/globals';
import { digest } from './digest.ts';

describe('digest', () => {
  it('is a length and the first eight digits of a SHA-256', () => {
    expect(digest('abc')).toBe('len=3 sha=ba7816bf');
    expect(digest('')).toBe('len=0 sha=e3b0c442');
  });

  it('tells contents apart and shows none of them', () => {
    expect(digest('my prompt')).not.toBe(digest('my prompt.'));
    expect(digest('my prompt')).not.toContain('prompt');
  });

  it('hashes text as its UTF-8 bytes', () => {
    expect(digest('grüße').split(' ')[1]).toBe(digest(Buffer.from('grüße')).split(' ')[1]);
  });
});
