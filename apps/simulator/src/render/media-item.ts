import { createHash } from 'node:crypto';
import { isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { base64Bytes, dataUriBytes } from './data-uri.ts';
import { imageSize } from './image-size.ts';

export type Modality = 'image' | 'audio' | 'video';

/** One media part as the engine sees it. */
export interface MediaItem {
  readonly modality: Modality;
  /** The first 32 hex digits of the content's SHA-256. */
  readonly hash: string;
  /** Placeholder tokens, at least 1; always the product of `grid`. */
  readonly length: number;
  /** `[time, height, width]` in patches. */
  readonly grid: readonly [number, number, number];
}

/**
 * The item of a media part; undefined when the part is none.
 * @throws WireError 400 when it is one without usable content
 */
export function mediaItem(part: JsonObject, where: string): MediaItem | undefined {
  switch (part['type']) {
    case 'image_url':
    case 'input_image':
      return item('image', dataUriBytes(url(part['image_url'], where), where), where);
    case 'audio_url':
      return item('audio', dataUriBytes(url(part['audio_url'], where), where), where);
    case 'video_url':
      return item('video', dataUriBytes(url(part['video_url'], where), where), where);
    case 'input_audio': {
      const audio = part['input_audio'];
      if (!isObject(audio) || typeof audio['data'] !== 'string')
        throw new WireError(`${where} has no input_audio.data`);
      return item('audio', base64Bytes(audio['data'], where), where);
    }
    default:
      return undefined;
  }
}

/** Both spellings are in use: the URL itself, or an object around it. */
function url(value: unknown, where: string): string {
  const found = isObject(value) ? value['url'] : value;
  if (typeof found !== 'string') throw new WireError(`${where} has no URL`);
  return found;
}

function item(modality: Modality, bytes: Buffer, where: string): MediaItem {
  const grid = modality === 'image' ? imageGrid(bytes, where) : timeGrid(modality, bytes);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { modality, hash, grid, length: grid[0] * grid[1] * grid[2] };
}

const PATCH_PIXELS = 28;
/** 1280 patches; a larger image is shrunk to it, as a vision processor does with `max_pixels`. */
const MAX_PATCHES = 1280;

function imageGrid(bytes: Buffer, where: string): MediaItem['grid'] {
  const size = imageSize(bytes);
  if (size === undefined) throw new WireError(`${where} is not an image that can be identified`);
  const height = Math.ceil(size.height / PATCH_PIXELS);
  const width = Math.ceil(size.width / PATCH_PIXELS);
  if (height * width <= MAX_PATCHES) return [1, height, width];
  const shrink = Math.sqrt(MAX_PATCHES / (height * width));
  const shrunkHeight = Math.min(MAX_PATCHES, Math.max(1, Math.floor(height * shrink)));
  return [1, shrunkHeight, Math.max(1, Math.min(Math.floor(width * shrink), Math.floor(MAX_PATCHES / shrunkHeight)))];
}

/** Audio and video are not decoded: their length goes by their bytes, as if every clip had the same bit rate. */
function timeGrid(modality: 'audio' | 'video', bytes: Buffer): MediaItem['grid'] {
  return modality === 'audio'
    ? [Math.min(1500, Math.ceil(bytes.length / 640)), 1, 1]
    : [Math.min(64, Math.ceil(bytes.length / 16_384)), 4, 4];
}
