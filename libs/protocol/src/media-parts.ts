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

/** Where a format keeps its prompt, under which keys an item of it lists parts, and which types of part are media. */
interface PromptShape {
  readonly field: string;
  readonly lists: readonly string[];
  readonly types: ReadonlyMap<string, Modality>;
}

const SHAPES: Readonly<Partial<Record<RequestFormat, PromptShape>>> = {
  chat: {
    field: 'messages',
    lists: ['content'],
    types: new Map<string, Modality>([
      ['image_url', 'image'],
      ['input_image', 'image'],
      ['audio_url', 'audio'],
      ['input_audio', 'audio'],
      ['video_url', 'video'],
    ]),
  },
  responses: {
    field: 'input',
    lists: ['content', 'output'],
    types: new Map<string, Modality>([['input_image', 'image']]),
  },
};
/**
 * A body without any of these holds no media part: each type has one of the first three in it, and `\u` may hide one of them. They
 * begin with characters that are rare in prose, which is what a native search is fast for.
 */
const MARKERS = ['_url', '_audio', '_image', '\\u'].map((marker) => Buffer.from(marker));

/**
 * The media parts of a chat or responses request, in prompt order. Other formats have none. It rests between stretches of a
 * long prompt, so that the event loop goes on.
 * @throws BadRequestError too_many_media, for more than `MAX_ENTRIES`
 * @see coordinator.md C.2, "Which parts count"
 */
export async function findMediaParts(body: JsonObject, format: RequestFormat): Promise<readonly MediaPart[]> {
  const shape = SHAPES[format];
  const prompt = shape && body.get(shape.field);
  if (shape === undefined || prompt?.kind !== 'array' || !mayHoldMedia(prompt.bytes)) return [];
  const found: MediaPart[] = [];
  const counts = { image: 0, audio: 0, video: 0 };
  const pacer = new Pacer();
  for (const part of promptParts(prompt, shape)) {
    if (pacer.isDue()) await pacer.rest();
    const media = mediaOf(part, shape);
    if (media === undefined) continue;
    if (found.length === MAX_ENTRIES)
      throw new BadRequestError('too_many_media', `more than ${MAX_ENTRIES} media parts`);
    found.push({ ...media, index: counts[media.modality]++ });
  }
  return found;
}

function mediaOf(part: Part | undefined, { types }: PromptShape): Omit<MediaPart, 'index'> | undefined {
  const type = part?.value.member('type')?.string ?? '';
  const modality = types.get(type);
  return part === undefined || modality === undefined ? undefined : { modality, type, ...part };
}

function mayHoldMedia(bytes: Buffer): boolean {
  return MARKERS.some((marker) => bytes.includes(marker));
}

interface Part {
  readonly param: string;
  readonly value: JsonValue;
}

/** Parts in prompt order; undefined before each item, so that the reader can rest there when it has none. */
function* promptParts(prompt: JsonValue, { field, lists }: PromptShape): Generator<Part | undefined> {
  let item = 0;
  for (const value of prompt.items()) {
    yield undefined;
    for (const key of lists) yield* listParts(value.member(key), `${field}[${item}].${key}`);
    item++;
  }
}

function* listParts(list: JsonValue | undefined, param: string): Generator<Part> {
  let index = 0;
  for (const value of list?.items() ?? []) yield { param: `${param}[${index++}]`, value };
}
