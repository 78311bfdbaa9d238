import { describe, expect, it } from '@jest/globals';
import { png } from '../media/png.ts';
import { imageSize } from './image-size.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const riff = (chunk: string, rest: string): Buffer =>
  Buffer.concat([Buffer.from('RIFF\0\0\0\0WEBP' + chunk, 'latin1'), hex(rest)]);

describe('imageSize', () => {
  it.each([
    { name: 'PNG', bytes: png(320, 200, [1, 2, 3]), width: 320, height: 200 },
    { name: 'GIF', bytes: Buffer.from('GIF89a\x07\x00\x02\x01;', 'latin1'), width: 7, height: 258 },
    { name: 'baseline JPEG', bytes: hex('ffd8 ffe00004 0102 ffc0 0011 08 0102 0304 03'), width: 772, height: 258 },
    {
      name: 'progressive JPEG after a table and a fill byte',
      bytes: hex('ffd8 ffc40003 00 ff ffc2 0011 08 0001 0002 03'),
      width: 2,
      height: 1,
    },
    { name: 'lossy WebP', bytes: riff('VP8 ', '00000000 000000 9d012a 4001 c800'), width: 320, height: 200 },
    { name: 'lossless WebP', bytes: riff('VP8L', '00000000 2f 3fc13100 0000000000'), width: 320, height: 200 },
    { name: 'extended WebP', bytes: riff('VP8X', '00000000 00000000 3f0100 c70000'), width: 320, height: 200 },
  ])('reads the size of a $name', ({ bytes, width, height }) => {
    expect(imageSize(bytes)).toEqual({ width, height });
  });

  it.each([
    { name: 'nothing', bytes: Buffer.alloc(0) },
    { name: 'text', bytes: Buffer.from('<html></html>') },
    { name: 'a PNG cut in its header', bytes: png(320, 200, [1, 2, 3]).subarray(0, 18) },
    { name: 'a JPEG without a frame', bytes: hex('ffd8 ffe00004 0102') },
    { name: 'a JPEG that loses its markers', bytes: hex('ffd8 ffe00002 0000 0000') },
    { name: 'a GIF of no width', bytes: Buffer.from('GIF89a\0\0\x01\0', 'latin1') },
    { name: 'an unknown WebP chunk', bytes: riff('ALPH', '0000000000000000') },
  ])('knows no size of $name', ({ bytes }) => {
    expect(imageSize(bytes)).toBeUndefined();
  });
});
