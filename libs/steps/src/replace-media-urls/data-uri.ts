import type { Modality } from '#protocol';
import { exceedsDecoded } from './base64-text.ts';
import { invalidMedia } from './invalid-media.ts';
import { characterAt } from './json-text.ts';
import type { JsonText } from './json-text.ts';
import { accepts, normalizeMediaType } from './media-types.ts';
import type { ModalityRules } from './media-rules.ts';

const SCHEME = 'data:';

/** Characters in which the comma must come; a media type and its parameters are far shorter. */
const MAX_HEAD = 1024;

/** Whether the text is a `data:` URI, in any case and with any escapes. */
export function isDataUri(text: JsonText): boolean {
  return readUntilComma(text.bytes, SCHEME.length).text.toLowerCase() === SCHEME;
}

/**
 * Checks a `data:` URI where it stands: its head is read, its payload only measured. What passes goes out as the client sent it.
 * @param modality the kind of part it is in
 * @param param the part, such as `messages[0].content[1]`
 * @throws BadRequestError invalid_media
 * @see coordinator.md C.2
 */
export async function checkDataUri(
  uri: JsonText,
  modality: Modality,
  rules: ModalityRules,
  param: string,
): Promise<void> {
  const { text, behindComma } = readUntilComma(uri.bytes, MAX_HEAD);
  if (behindComma === undefined) throw invalidMedia(param, 'missing comma in data URI');
  const head = text.slice(SCHEME.length);
  const [, ...parameters] = head.split(';');
  if (!parameters.some((parameter) => parameter.trim().toLowerCase() === 'base64')) {
    throw invalidMedia(param, 'data URI must be base64-encoded');
  }
  const type = normalizeMediaType(head);
  if (type === '') throw invalidMedia(param, 'data URI missing media type');
  if (!accepts(rules.types, type))
    throw invalidMedia(param, `the data URI's media type is not allowed for ${modality}`);
  const payload = { bytes: uri.bytes.subarray(behindComma), escaped: uri.escaped };
  if (rules.maxInlineBytes !== undefined && (await exceedsDecoded(payload, rules.maxInlineBytes))) {
    throw invalidMedia(param, `the ${modality} is larger than ${rules.maxInlineBytes} bytes`);
  }
}

/** The characters before the first comma, at most `limit` of them, and the place behind that comma. */
function readUntilComma(bytes: Buffer, limit: number): { text: string; behindComma?: number } {
  let text = '';
  let next = characterAt(bytes, 0);
  while (next !== undefined && text.length < limit) {
    const character = String.fromCharCode(next.code);
    if (character === ',') return { text, behindComma: next.end };
    text += character;
    next = characterAt(bytes, next.end);
  }
  return { text };
}
