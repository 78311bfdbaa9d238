/** Bytes at a place that tell what content is, and the media types it goes by, the usual one first. */
export interface Signature {
  /** Latin-1. */
  readonly magic: string;
  readonly types: readonly string[];
  /** A second piece, for containers that share the first. */
  readonly also?: { readonly at: number; readonly magic: string };
}

const WAV = ['audio/wav', 'audio/x-wav', 'audio/wave', 'audio/vnd.wave'];
const AIFF = ['audio/aiff', 'audio/x-aiff'];

/**
 * Content that fixed bytes at its start tell. What is not media is here so that it is refused by name, whatever its header says;
 * markup, `ftyp`, Ogg, Matroska and the frames of MPEG have their own readers.
 */
export const SIGNATURES: readonly Signature[] = [
  { magic: '\x89PNG\r\n\x1a\n', types: ['image/png', 'image/apng'] },
  { magic: '\xff\xd8\xff', types: ['image/jpeg', 'image/jpg', 'image/pjpeg'] },
  { magic: 'GIF87a', types: ['image/gif'] },
  { magic: 'GIF89a', types: ['image/gif'] },
  { magic: 'RIFF', also: { at: 8, magic: 'WEBP' }, types: ['image/webp'] },
  { magic: 'BM', also: { at: 6, magic: '\0\0\0\0' }, types: ['image/bmp', 'image/x-ms-bmp'] },
  { magic: 'II*\0', types: ['image/tiff'] },
  { magic: 'MM\0*', types: ['image/tiff'] },
  { magic: '\0\0\x01\0', types: ['image/x-icon', 'image/vnd.microsoft.icon'] },
  { magic: '8BPS', types: ['image/vnd.adobe.photoshop'] },
  { magic: '\xff\x0a', types: ['image/jxl'] },
  { magic: '\0\0\0\x0cJXL \r\n\x87\n', types: ['image/jxl'] },
  { magic: '\0\0\0\x0cjP  \r\n\x87\n', types: ['image/jp2'] },

  { magic: 'RIFF', also: { at: 8, magic: 'WAVE' }, types: WAV },
  { magic: 'RF64', also: { at: 8, magic: 'WAVE' }, types: WAV },
  { magic: 'BW64', also: { at: 8, magic: 'WAVE' }, types: WAV },
  { magic: 'ID3', types: ['audio/mpeg', 'audio/mp3', 'audio/x-mp3', 'audio/mpeg3'] },
  { magic: 'fLaC', types: ['audio/flac', 'audio/x-flac'] },
  { magic: 'FORM', also: { at: 8, magic: 'AIFF' }, types: AIFF },
  { magic: 'FORM', also: { at: 8, magic: 'AIFC' }, types: AIFF },
  { magic: '#!AMR', types: ['audio/amr'] },
  { magic: '.snd', types: ['audio/basic'] },
  { magic: 'MThd', types: ['audio/midi', 'audio/mid'] },

  { magic: 'RIFF', also: { at: 8, magic: 'AVI ' }, types: ['video/x-msvideo', 'video/avi', 'video/vnd.avi'] },
  { magic: 'FLV\x01', types: ['video/x-flv'] },
  { magic: '\x30\x26\xb2\x75\x8e\x66\xcf\x11', types: ['video/x-ms-wmv', 'video/x-ms-asf', 'audio/x-ms-wma'] },
  { magic: '\0\0\x01\xba', types: ['video/mpeg', 'video/mp2p'] },
  { magic: '\0\0\x01\xb3', types: ['video/mpeg', 'video/mpv'] },

  { magic: '%PDF-', types: ['application/pdf'] },
  { magic: '%!PS', types: ['application/postscript'] },
  { magic: 'PK\x03\x04', types: ['application/zip'] },
  { magic: 'PK\x05\x06', types: ['application/zip'] },
  { magic: '\x1f\x8b', types: ['application/gzip'] },
  { magic: 'BZh', types: ['application/x-bzip2'] },
  { magic: '\xfd7zXZ\0', types: ['application/x-xz'] },
  { magic: '\x28\xb5\x2f\xfd', types: ['application/zstd'] },
  { magic: '7z\xbc\xaf\x27\x1c', types: ['application/x-7z-compressed'] },
  { magic: 'Rar!\x1a\x07', types: ['application/vnd.rar'] },
  { magic: '\x7fELF', types: ['application/x-executable'] },
  { magic: '\0asm', types: ['application/wasm'] },
];
