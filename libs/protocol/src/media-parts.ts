import { BadRequestError, Pacer } from '#foundation';
import type { JsonObject, JsonValue } from '#json';
import { MAX_ENTRIES } from './multimodal.ts';
import type { RequestFormat } from './request-format.ts';

export type Modality = 'image' | 'audio' | 'video';

/** One media part of a prompt, where it stands in the client's body. */
export interface MediaPart {
  readonly modality: Modality;
  /** Its `type`: `image_url`, `audio_url`, `video_url`, `input_audio` or `input_image`. */
  readonly type: string;
  /** Position among the parts of its modality, 0-based; render's lists have the same order. */
  readonly index: number;
  /** The path that errors name it by: `messages[0].content[1]`. */
  readonly param: string;
  /** The whole part. */
  readonly value: JsonValue;
}

/** One key for an item's place: its modality and its position in it. Parts of the body and entries of render meet by it. */
export function placeOf({ modality, index }: { readonly modality: string; readonly index: number }): string {
  return `${index}:${modality}`;
}

const CHAT_TYPES: ReadonlyMap<string, Modality> = new Map<string, Modality>([
  ['image_url', 'image'],
  ['input_image', 'image'],
  ['audio_url', 'audio'],
  ['input_audio', 'audio'],
  ['video_url', 'video'],
]);
const RESPONSES_TYPES: ReadonlyMap<string, Modality> = new Map<string, Modality>([['input_image', 'image']]);
/** A body without any of these holds no media part; `\u` may hide one of them. */
const MARKERS = ['image_url', 'audio_url', 'video_url', 'input_audio', 'input_image', '\\u'];

/**
 * The media parts of a chat or responses request, in prompt order. Other formats have none. It rests between stretches of a
 * long prompt, so that the event loop goes on.
 * @throws BadRequestError too_many_media, for more than `MAX_ENTRIES`
 * @see coordinator.md C.2, "Which parts count"
 */
export async function findMediaParts(body: JsonObject, format: RequestFormat): Promise<readonly MediaPart[]> {
  const prompt = format === 'chat' ? body.get('messages') : format === 'responses' ? body.get('input') : undefined;
  if (prompt === undefined || prompt.kind !== 'array' || !mayHoldMedia(prompt.bytes)) return [];
  const types = format === 'chat' ? CHAT_TYPES : RESPONSES_TYPES;
  const found: MediaPart[] = [];
  const counts = { image: 0, audio: 0, video: 0 };
  const pacer = new Pacer();
  for (const part of format === 'chat' ? chatParts(prompt) : responsesParts(prompt)) {
    if (pacer.isDue()) await pacer.rest();
    if (part === undefined) continue;
    const type = part.value.member('type')?.string;
    const modality = type === undefined ? undefined : types.get(type);
    if (type === undefined || modality === undefined) continue;
    if (found.length === MAX_ENTRIES) throw new BadRequestError('too_many_media', `more than ${MAX_ENTRIES} media parts`);
    found.push({ modality, type, index: counts[modality]++, param: part.param, value: part.value });
  }
  return found;
}

function mayHoldMedia(bytes: Buffer): boolean {
  return MARKERS.some((marker) => bytes.includes(marker, 0, 'latin1'));
}

interface Part {
  readonly param: string;
  readonly value: JsonValue;
}

/** Parts in prompt order; undefined for each message without any, so that the reader can rest there. */
function* chatParts(messages: JsonValue): Generator<Part | undefined> {
  let message = 0;
  for (const value of messages.items()) yield* listParts(value, ['content'], `messages[${message++}]`);
}

function* responsesParts(input: JsonValue): Generator<Part | undefined> {
  let item = 0;
  for (const value of input.items()) yield* listParts(value, ['content', 'output'], `input[${item++}]`);
}

function* listParts(owner: JsonValue, keys: readonly string[], param: string): Generator<Part | undefined> {
  yield undefined;
  for (const key of keys) {
    let index = 0;
    const list = owner.member(key);
    for (const value of list?.items() ?? []) yield { param: `${param}.${key}[${index++}]`, value };
  }
}
