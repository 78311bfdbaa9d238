import { JsonObject } from '#json';
import type { JsonValue } from '#json';
import type { MediaPart, Modality } from '#protocol';
import type { InputAudio } from './input-audio.ts';
import { invalidMedia } from './invalid-media.ts';
import type { JsonText } from './json-text.ts';

interface Named {
  readonly modality: Modality;
  /** Position among the parts of its modality, 0-based. */
  readonly index: number;
  /** The part as errors name it: `messages[0].content[1]`. */
  readonly param: string;
}

/** Media that a URL leads to, be it a `data:` URI. `value` is the JSON string that a replacement takes the place of. */
export interface UrlReference extends Named {
  readonly kind: 'url';
  readonly url: JsonText;
  readonly value: JsonValue;
}

/** Sound that came in the request under `input_audio`. */
export interface AudioReference extends Named {
  readonly kind: 'input_audio';
  readonly audio: InputAudio;
}

export type MediaReference = UrlReference | AudioReference;

/**
 * What a media part refers to.
 * @throws BadRequestError invalid_media, when it carries no URL
 * @see coordinator.md C.2, "URL location"
 */
export function mediaReference({ modality, type, index, param, value }: MediaPart): MediaReference {
  if (type === 'input_audio') {
    return { kind: 'input_audio', modality, index, param, audio: inputAudio(value.member(type)) };
  }
  const place = type === 'input_image' ? value.member('image_url') : value.member(type)?.member('url');
  const url = jsonText(place);
  if (place === undefined || url === undefined || url.bytes.length === 0) {
    throw invalidMedia(param, `the ${modality} part carries no fetchable URL`);
  }
  return { kind: 'url', modality, index, param, url, value: place };
}

/** Both members from one look over the object, whose `data` may be long. */
function inputAudio(value: JsonValue | undefined): InputAudio {
  const audio = value?.kind === 'object' ? JsonObject.of(value.bytes) : undefined;
  return { data: jsonText(audio?.get('data')), format: jsonText(audio?.get('format')) };
}

function jsonText(value: JsonValue | undefined): JsonText | undefined {
  if (value?.kind !== 'string') return undefined;
  const bytes = value.source.subarray(value.start + 1, value.end - 1);
  return { bytes, escaped: bytes.includes('\\') };
}
