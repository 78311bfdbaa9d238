import type { Modality } from '#protocol';

const MP4_AUDIO = ['audio/mp4', 'audio/x-m4a', 'audio/m4a'];
const MP4_VIDEO = ['video/mp4', 'video/x-m4v'];

/** Types by major brand; every other brand is MP4. */
const BRANDS: Readonly<Record<string, readonly string[]>> = {
  'qt  ': ['video/quicktime'],
  'M4A ': MP4_AUDIO,
  'M4B ': MP4_AUDIO,
  'M4P ': MP4_AUDIO,
  'F4A ': MP4_AUDIO,
  avif: ['image/avif'],
  avis: ['image/avif'],
  heic: ['image/heic', 'image/heif'],
  heix: ['image/heic', 'image/heif'],
  hevc: ['image/heic-sequence', 'image/heif-sequence'],
  mif1: ['image/heif', 'image/heic', 'image/avif'],
  msf1: ['image/heif-sequence', 'image/heic-sequence', 'image/avif'],
  'crx ': ['image/x-canon-cr3'],
};

/** ISO base media: a box `ftyp` at the start, whose major brand tells the kind. */
export function sniffIsoMedia(start: Buffer, modality: Modality): readonly string[] | undefined {
  if (start.length < 12 || start.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const brand = start.toString('latin1', 8, 12);
  if (brand.startsWith('3gp')) return ['video/3gpp', 'audio/3gpp'];
  if (brand.startsWith('3g2')) return ['video/3gpp2', 'audio/3gpp2'];
  return BRANDS[brand] ?? (modality === 'audio' ? MP4_AUDIO : MP4_VIDEO);
}

/** EBML: WebM and Matroska differ by the document type; whether they hold sound or pictures only a decoder sees. */
export function sniffMatroska(start: Buffer, modality: Modality): readonly string[] | undefined {
  if (start.length < 4 || start.readUInt32BE(0) !== 0x1a45dfa3) return undefined;
  const kind = modality === 'audio' ? 'audio' : 'video';
  return documentType(start) === 'webm' ? [`${kind}/webm`] : [`${kind}/x-matroska`, `${kind}/matroska`];
}

/** Ogg: the first packet names the codec. Theora is video; a skeleton or an unknown codec may be either. */
export function sniffOgg(start: Buffer, modality: Modality): readonly string[] | undefined {
  if (start.length < 28 || start.toString('latin1', 0, 4) !== 'OggS') return undefined;
  const packet = 27 + start.readUInt8(26);
  const codec = start.toString('latin1', packet, packet + 8);
  if (codec.startsWith('\x80theora')) return ['video/ogg', 'application/ogg'];
  if (codec.startsWith('OpusHead')) return ['audio/ogg', 'audio/opus', 'application/ogg'];
  if (/^(?:\x01vorbis|\x7fFLAC|Speex {3})/.test(codec)) return ['audio/ogg', 'application/ogg'];
  return [modality === 'audio' ? 'audio/ogg' : 'video/ogg', 'application/ogg'];
}

/** The text of EBML's `DocType` element (0x4282), whose size is one byte for every name in use. */
function documentType(start: Buffer): string | undefined {
  const at = start.subarray(0, 128).indexOf(Buffer.from([0x42, 0x82]));
  const size = at === -1 ? undefined : start[at + 2];
  if (size === undefined) return undefined;
  return start.toString('latin1', at + 3, at + 3 + (size & 0x7f)).replace(/\0+$/, '');
}
