/** Width and height in pixels. */
export interface Resolution {
  readonly width: number;
  readonly height: number;
}

/** Characters in which a media type and its parameters end. */
const MAX_HEAD = 128;
/** Characters of base64 that are decoded at first, and for a JPEG, which may have a preview before its size. */
const SHORT = 64;
const LONG = 512 * 1024;
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const GIF = Buffer.from('GIF8');
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);

/** The size of an image that is in the request itself, by its first bytes: PNG, GIF or JPEG. Undefined for any other. */
export function imageSize(url: Buffer): Resolution | undefined {
  const comma = url.subarray(0, MAX_HEAD).indexOf(',');
  if (comma === -1 || !/^data:image\/.*;base64$/i.test(url.toString('latin1', 0, comma))) return undefined;
  const image = decoded(url, comma + 1, SHORT);
  const size = sizeOf(image) ?? (startsWith(image, JPEG) ? jpegSize(decoded(url, comma + 1, LONG)) : undefined);
  return size === undefined || size.width === 0 || size.height === 0 ? undefined : size;
}

function decoded(url: Buffer, start: number, characters: number): Buffer {
  return Buffer.from(url.toString('latin1', start, start + characters), 'base64');
}

function sizeOf(image: Buffer): Resolution | undefined {
  if (startsWith(image, PNG) && image.length >= 24)
    return { width: image.readUInt32BE(16), height: image.readUInt32BE(20) };
  if (startsWith(image, GIF) && image.length >= 10)
    return { width: image.readUInt16LE(6), height: image.readUInt16LE(8) };
  return undefined;
}

/** From segment to segment, up to the one that begins a frame. */
function jpegSize(image: Buffer): Resolution | undefined {
  let at = 2;
  while (at + 9 <= image.length && image[at] === 0xff) {
    const marker = image[at + 1] ?? 0;
    if (isFrameStart(marker)) return { width: image.readUInt16BE(at + 7), height: image.readUInt16BE(at + 5) };
    // a marker may be filled up with more of its first byte
    at += marker === 0xff ? 1 : 2 + image.readUInt16BE(at + 2);
  }
  return undefined;
}

/** SOF0 to SOF15 without the three that mean something else. */
function isFrameStart(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}
