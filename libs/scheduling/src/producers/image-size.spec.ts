import { describe, expect, it } from '@jest/globals';
import { imageSize } from './image-size.ts';

/** A `data:` URI as bytes. */
function inline(type: string, bytes: readonly number[]): Buffer {
  return Buffer.from(`data:image/${type};base64,${Buffer.from(bytes).toString('base64')}`);
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const png = (width: number[], height: number[]): number[] => [
  ...SIGNATURE,
  0,
  0,
  0,
  13,
  73,
  72,
  68,
  82,
  ...width,
  ...height,
];
const gif = (sides: number[]): number[] => [...Buffer.from('GIF89a'), ...sides];
/** A segment of other data, then a frame of 300 by 200. */
const jpeg = (filled: number): number[] => {
  const preview = [0xff, 0xe1, (filled + 2) >> 8, (filled + 2) & 0xff, ...new Array<number>(filled).fill(7)];
  return [0xff, 0xd8, ...preview, 0xff, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 44, 3];
};

describe('imageSize', () => {
  it.each([
    ['a PNG', inline('png', png([0, 0, 2, 128], [0, 0, 1, 104])), { width: 640, height: 360 }],
    ['a GIF', inline('gif', gif([44, 1, 200, 0])), { width: 300, height: 200 }],
    ['a JPEG', inline('jpeg', jpeg(10)), { width: 300, height: 200 }],
    ['a JPEG behind a long preview', inline('jpeg', jpeg(60_000)), { width: 300, height: 200 }],
    ['a type with parameters', inline('png;charset=x', png([0, 0, 0, 2], [0, 0, 0, 3])), { width: 2, height: 3 }],
    ['a PNG without an area', inline('png', png([0, 0, 0, 0], [0, 0, 1, 104])), undefined],
    ['a PNG that is cut off', inline('png', SIGNATURE), undefined],
    ['a JPEG without a frame', inline('jpeg', [0xff, 0xd8, 0xff, 0xd9, 0, 2, 0, 0, 0, 0, 0, 0]), undefined],
    ['another format', inline('webp', [1, 2, 3]), undefined],
    ['an address', Buffer.from('https://example.com/a,b.png'), undefined],
    ['no base64', Buffer.from('data:image/png,abc'), undefined],
    ['nothing', Buffer.from(''), undefined],
  ])('of %s', (_, url, size) => {
    expect(imageSize(url)).toEqual(size);
  });
});
