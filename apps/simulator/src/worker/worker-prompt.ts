import { asList, asObject, asTokenIds, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { Modality } from '../render/media-item.ts';
import { renderChat, renderResponses, renderText } from '../render/render-prompt.ts';
import { featuresOf } from '../render/rendered-prompt.ts';
import type { PlacedItem, RenderedPrompt } from '../render/rendered-prompt.ts';
import type { InferenceApi } from './inference-api.ts';

/**
 * The prompt of a call to a worker, from its tokens where the body has some.
 * @param verify render a chat body too, and refuse tokens that are not its own
 * @throws WireError 400
 */
export function workerPrompt(api: InferenceApi, body: JsonObject, verify: boolean): RenderedPrompt {
  switch (api) {
    case 'chat':
      return chatPrompt(body, verify);
    case 'responses':
      return renderResponses(body);
    case 'completions': {
      const { prompt } = body;
      return typeof prompt === 'string' ? renderText(prompt) : { tokenIds: someIds(prompt, 'prompt'), items: [] };
    }
    case 'generate': {
      const tokenIds = someIds(body['token_ids'], 'token_ids');
      return { tokenIds, items: placedItems(body['features'], 'features', tokenIds.length) };
    }
  }
}

/** The items that a `features` object describes. @throws WireError 400 when its lists do not fit each other or the prompt */
export function placedItems(features: unknown, where: string, promptLength: number): PlacedItem[] {
  if (features === undefined || features === null) return [];
  const { mm_hashes: hashes, mm_placeholders: placeholders } = asObject(features, where);
  const items = Object.entries(asObject(hashes, `${where}.mm_hashes`)).flatMap(([modality, list]) => {
    const places = asList(
      isObject(placeholders) ? placeholders[modality] : undefined,
      `${where}.mm_placeholders.${modality}`,
    );
    const found = asList(list, `${where}.mm_hashes.${modality}`);
    if (found.length !== places.length)
      throw new WireError(`${where} has ${found.length} hashes and ${places.length} placeholders`);
    return found.map((hash, i) => placedItem(modality, hash, places[i], promptLength, `${where}.${modality}[${i}]`));
  });
  return items.toSorted((a, b) => a.offset - b.offset);
}

function placedItem(modality: string, hash: unknown, place: unknown, promptLength: number, where: string): PlacedItem {
  const { offset, length } = asObject(place, `${where} placeholder`);
  if (typeof hash !== 'string' || hash === '') throw new WireError(`${where} has no hash`);
  if (typeof offset !== 'number' || typeof length !== 'number') throw new WireError(`${where} has no offset or length`);
  if (offset < 0 || length < 1 || offset + length > promptLength)
    throw new WireError(`${where} lies outside of the prompt`);
  // The key is any string on the wire; only the three known ones are ever looked up.
  return { modality: modality as Modality, hash, offset, length, grid: [1, 1, length] };
}

function chatPrompt(body: JsonObject, verify: boolean): RenderedPrompt {
  const { tokens } = body;
  if (tokens === undefined || tokens === null) return renderChat(body);
  const sent = asObject(tokens, 'tokens');
  const tokenIds = someIds(sent['token_ids'], 'tokens.token_ids');
  const items = placedItems(sent['features'], 'tokens.features', tokenIds.length);
  if (isObject(sent['features']) && 'kwargs_data' in sent['features']) {
    throw new WireError('tokens.features must not carry kwargs_data');
  }
  if (!verify) return { tokenIds, items };
  const rendered = renderChat(body);
  requireSameTokens(tokenIds, rendered.tokenIds);
  if (JSON.stringify(featuresOf(items)) !== JSON.stringify(featuresOf(rendered.items))) {
    throw new WireError('tokens.features does not match the media of the messages');
  }
  return rendered;
}

function requireSameTokens(sent: readonly number[], rendered: readonly number[]): void {
  const differs = rendered.findIndex((id, i) => sent[i] !== id);
  if (differs >= 0) throw new WireError(`tokens.token_ids does not match the prompt from index ${differs} on`);
  if (sent.length > rendered.length) {
    throw new WireError(`tokens.token_ids has ${sent.length} ids, the prompt has ${rendered.length}`);
  }
}

function someIds(value: unknown, where: string): readonly number[] {
  const ids = asTokenIds(value, where);
  if (ids.length === 0) throw new WireError(`${where} must not be empty`);
  return ids;
}
