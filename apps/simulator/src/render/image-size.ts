export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixel size from the header of a PNG, JPEG, GIF or WebP; undefined when the bytes are none of these or are cut short. */
export function imageSize(bytes: Buffer): ImageSize | undefined {
  const size = png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function png(bytes: Buffer): ImageSize | undefined {
  if (
    bytes.length < 24 ||
    bytes.toString('latin1', 0, 8) !== '\x89PNG\r\n\x1a\n' ||
    bytes.toString('latin1', 12, 16) !== 'IHDR'
  )
    return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gif(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 10 || !/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webp(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 30 || bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WEBP')
    return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ': // lossy: 14 bits each, after the frame tag and the start code
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      // lossless: 14 bits each, minus one, packed after the signature byte
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X': // extended: 24 bits each, minus one
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Markers among the start-of-frame ones (C0 to CF) that begin something else. */
const TABLES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Walks the segments to the first start-of-frame. */
function jpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  for (let at = 2; at + 4 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) {
      at += 1; // fill byte
    } else if (marker >= 0xc0 && marker <= 0xcf && !TABLES.has(marker)) {
      return at + 9 > bytes.length
        ? undefined
        : { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    } else {
      at += 2 + bytes.readUInt16BE(at + 2);
    }
  }
  return undefined;
}
