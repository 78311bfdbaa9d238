import { asList, asObject, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { mediaItem } from '../render/media-item.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { PlacedItem } from '../render/rendered-prompt.ts';
import { SPECIAL } from '../render/tokenizer.ts';
import { transferParams } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';
import { kwargsPresent } from './kwargs-data.checks.ts';
import { requireSingleToken, requireUnstored } from './single-token.checks.ts';
import { workerPrompt } from './worker-prompt.ts';

/** The one item that an encode call is about. @throws WireError 400 for anything that is not such a call */
export function encodeItem(api: InferenceApi, body: JsonObject): MediaItem {
  requireSingleToken(api, body);
  requireUnstored(api, body);
  for (const key of ['kv_transfer_params', 'ec_transfer_params'] as const) {
    if (transferParams(api, body, key) !== undefined) throw new WireError(`encode takes no ${key}`);
  }
  switch (api) {
    case 'chat':
      return onlyPart(body, 'messages');
    case 'responses':
      return onlyPart(body, 'input');
    case 'generate': {
      const { tokenIds, items } = workerPrompt(api, body, false);
      kwargsPresent(body['features'], items);
      return onlyItem(tokenIds, items);
    }
    case 'completions':
      throw new WireError('there is nothing to encode in a completions request');
  }
}

/** The item of a body whose only message has one part. @throws WireError 400 */
export function onlyPart(body: JsonObject, key: 'messages' | 'input'): MediaItem {
  const messages = asList(body[key], key);
  const parts = messages.flatMap((message) =>
    asList(isObject(message) ? message['content'] : undefined, `${key}[0].content`),
  );
  if (messages.length !== 1 || parts.length !== 1)
    throw new WireError(`encode takes one message with one part, got ${parts.length} parts`);
  const item = mediaItem(asObject(parts[0], 'the part'), `${key}[0].content[0]`);
  if (item === undefined) throw new WireError('the part is not a media part');
  if (body['tokens'] !== undefined) requireTokens(body['tokens'], item);
  return item;
}

function requireTokens(value: unknown, item: MediaItem): void {
  const tokens = asObject(value, 'tokens');
  const { tokenIds, items } = workerPrompt('generate', tokens, false);
  const { hash, length, modality } = onlyItem(tokenIds, items);
  if (isObject(tokens['features']) && 'kwargs_data' in tokens['features']) {
    throw new WireError('tokens.features must not carry kwargs_data');
  }
  if (modality !== item.modality)
    throw new WireError(`tokens name a medium of kind ${modality}, the part is ${item.modality}`);
  if (hash !== item.hash) throw new WireError(`tokens name the hash ${hash}, the part has ${item.hash}`);
  if (length !== item.length) throw new WireError(`tokens have ${length} placeholders, the part takes ${item.length}`);
}

/** `[BOS, placeholder × length]` with one item at offset 1. */
function onlyItem(tokenIds: readonly number[], items: readonly PlacedItem[]): PlacedItem {
  const [item, ...others] = items;
  if (item === undefined || others.length > 0) throw new WireError(`encode takes one item, got ${items.length}`);
  if (item.offset !== 1 || tokenIds.length !== item.length + 1) {
    throw new WireError(
      `encode takes the first token and ${item.length} placeholders, got ${tokenIds.length} ids with the item at ${item.offset}`,
    );
  }
  if (tokenIds[0] !== SPECIAL.bos) throw new WireError(`the first token must be ${SPECIAL.bos}, got ${tokenIds[0]}`);
  const wrong = tokenIds.findIndex((id, i) => i > 0 && id !== SPECIAL[item.modality]);
  if (wrong > 0)
    throw new WireError(`token ${wrong} must be the placeholder ${SPECIAL[item.modality]}, got ${tokenIds[wrong]}`);
  return item;
}
