import type { Modality } from '#protocol';

/** Normalised media types that are accepted; an empty set accepts any. */
export type MediaTypes = ReadonlySet<string>;

export const DEFAULT_MEDIA_TYPES: Readonly<Record<Modality, MediaTypes>> = {
  image: new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
  audio: new Set([
    'audio/wav',
    'audio/x-wav',
    'audio/mpeg',
    'audio/mp3',
    'audio/flac',
    'audio/x-flac',
    'audio/ogg',
    'audio/opus',
    'audio/webm',
  ]),
  video: new Set(['video/mp4', 'video/webm', 'video/quicktime', 'video/mpeg', 'video/ogg']),
};

/** What an answer without a type counts as. */
export const UNKNOWN_TYPE = 'application/octet-stream';

// RFC 6838's restricted names. Nothing in them needs an escape in a JSON string or ends a data URI's head.
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** The type alone, without parameters, in lower case: `Video/MP4; codecs=avc1` is `video/mp4`. */
export function normalizeMediaType(text: string): string {
  const end = text.search(/[;,]/);
  return (end === -1 ? text : text.slice(0, end)).trim().toLowerCase();
}

/** Whether a normalised type has the form of one. */
export function isMediaType(type: string): boolean {
  return MEDIA_TYPE.test(type);
}

export function accepts(types: MediaTypes, type: string): boolean {
  return isMediaType(type) && (types.size === 0 || types.has(type));
}
