import { pack } from 'msgpackr';
import type { MediaItem } from './media-item.ts';

const BYTES_PER_TOKEN = 64;

/**
 * What a vision processor makes of an item, as `kwargs_data` carries it: base64 of a msgpack map.
 * @param bytes size of the tensor before base64; without it 64 bytes a placeholder token
 */
export function processorKwargs(item: MediaItem, bytes?: number): string {
  const tensor = Buffer.alloc(bytes ?? item.length * BYTES_PER_TOKEN, item.hash, 'hex');
  const [pixels, grid] = NAMES[item.modality];
  return pack({ [pixels]: tensor, [grid]: [item.grid] }).toString('base64');
}

const NAMES = {
  image: ['pixel_values', 'image_grid_thw'],
  video: ['pixel_values_videos', 'video_grid_thw'],
  audio: ['input_features', 'audio_grid_thw'],
} as const;
