import { exceedsDecoded } from './base64-text.ts';
import { invalidMedia } from './invalid-media.ts';
import { decodeJsonText } from './json-text.ts';
import type { JsonText } from './json-text.ts';
import { accepts } from './media-types.ts';
import type { ModalityRules } from './media-rules.ts';

/** Media types by the `format` that clients write. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ['wav', 'audio/wav'],
  ['mp3', 'audio/mpeg'],
  ['flac', 'audio/flac'],
  ['opus', 'audio/opus'],
  ['ogg', 'audio/ogg'],
  ['webm', 'audio/webm'],
]);

/** Bytes, white space and escapes included; every format is far shorter. */
const MAX_FORMAT_BYTES = 64;

/** The members of an `input_audio` object; undefined when absent or not a string. */
export interface InputAudio {
  readonly data: JsonText | undefined;
  readonly format: JsonText | undefined;
}

/**
 * Checks sound that came in the request. It is measured, not decoded, and goes out as the client sent it.
 * @param rules those of audio
 * @param param the part, such as `messages[0].content[1]`
 * @throws BadRequestError invalid_media
 * @see coordinator.md C.2
 */
export async function checkInputAudio(audio: InputAudio, rules: ModalityRules, param: string): Promise<void> {
  if (audio.data === undefined || audio.data.bytes.length === 0) {
    throw invalidMedia(param, 'input_audio carries no base64 data');
  }
  const type = FORMATS.get(formatOf(audio.format));
  if (type === undefined) {
    throw invalidMedia(param, `unsupported input_audio format, expected one of ${[...FORMATS.keys()].join(', ')}`);
  }
  if (!accepts(rules.types, type)) throw invalidMedia(param, `media type ${type} is not allowed for audio`);
  if (rules.maxInlineBytes !== undefined && (await exceedsDecoded(audio.data, rules.maxInlineBytes))) {
    throw invalidMedia(param, `the audio is larger than ${rules.maxInlineBytes} bytes`);
  }
}

function formatOf(format: JsonText | undefined): string {
  if (format === undefined || format.bytes.length > MAX_FORMAT_BYTES) return '';
  return decodeJsonText(format).trim().toLowerCase();
}
