import type { JsonValue } from '#json';
import type { MediaModality, PromptPiece } from '../scheduling-request.ts';
import { fieldsOf } from './json-body.ts';

/** Keys under which a block holds an item, and of what kind that is. A block without `type` is known by its key. */
const MEDIA: readonly (readonly [key: string, modality: MediaModality])[] = [
  ['image_url', 'image'],
  ['audio_url', 'audio'],
  ['video_url', 'video'],
  ['input_audio', 'audio'],
];

/** What a block of a message's content counts as: a text, an item, or undefined for anything else. */
export function contentPiece(block: JsonValue): PromptPiece | undefined {
  if (block.kind === 'string') return { kind: 'text', value: block };
  const fields = fieldsOf(block);
  const type = keyOf(fields.get('type')?.string);
  for (const [key, modality] of MEDIA) {
    const isThis = type === undefined ? fields.has(key) : type === key;
    if (isThis) return { kind: 'media', modality, content: contentOf(fields.get(key)) };
  }
  const text = type === undefined || type === 'text' ? fields.get('text') : undefined;
  return text?.kind === 'string' ? { kind: 'text', value: text } : undefined;
}

/** Two names for one thing: `input_image` keeps its URL where `image_url` does. */
function keyOf(type: string | undefined): string | undefined {
  if (type === 'input_image') return 'image_url';
  return type === 'input_text' ? 'text' : type;
}

/** A URL by itself or as `url`; or data and their format. */
function contentOf(item: JsonValue | undefined): readonly JsonValue[] {
  if (item === undefined) return [];
  if (item.kind === 'string') return [item];
  const fields = fieldsOf(item);
  const url = fields.get('url');
  const parts = url === undefined ? [fields.get('data'), fields.get('format')] : [url];
  return parts.flatMap((part) => (part?.kind === 'string' ? [part] : []));
}
