import { asList, asObject, isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { mediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { SimulatorConfig } from '../simulator.config.ts';
import { transferParams } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';
import type { KvRegistry } from './kv-registry.ts';
import { LOCAL } from './transfer-protocol.ts';
import type { KvSource } from './transfer-protocol.ts';

/** A probe finds out what is cached; it must not bring anything. @throws WireError 400 */
export function requireNoTransfer(api: InferenceApi, body: JsonObject): void {
  if (transferParams(api, body, 'kv_transfer_params') !== undefined)
    throw new WireError('a probe takes no kv_transfer_params');
  if (transferParams(api, body, 'ec_transfer_params') !== undefined)
    throw new WireError('decode takes no ec_transfer_params');
}

/**
 * Where decode gets the prompt's KV from; flags alone mean that it computes the prompt itself.
 * @param registry undefined when prefill workers run elsewhere: what they issued is not known here
 * @throws WireError 400 for a descriptor that was not issued, was used, has run out, or is of another prompt
 */
export function kvSource(
  api: InferenceApi,
  body: JsonObject,
  prompt: RenderedPrompt,
  kv: SimulatorConfig['kv'],
  registry: KvRegistry | undefined,
): KvSource {
  if (transferParams(api, body, 'ec_transfer_params') !== undefined)
    throw new WireError('decode takes no ec_transfer_params');
  if (api === 'chat') requireOwnUuids(body);
  const sent = transferParams(api, body, 'kv_transfer_params');
  if (sent === undefined) return LOCAL;
  const params = asObject(sent, 'kv_transfer_params');
  requireFlags(params);
  switch (kv) {
    case 'shared-storage':
      return { remote: true, cachedTokens: 0 };
    case 'sglang':
      return claimed(params, 'bootstrap_room', () => registry?.claimRoom(params['bootstrap_room'], prompt));
    case 'nixl':
      requireWholeDescriptor(params);
      return claimed(params, 'remote_block_ids', () => registry?.claimNixl(params, prompt));
  }
}

function requireFlags(params: JsonObject): void {
  if (params['do_remote_prefill'] !== true) {
    throw new WireError('kv_transfer_params.do_remote_prefill must be true for a decode');
  }
  if (params['do_remote_decode'] !== false) {
    throw new WireError('kv_transfer_params.do_remote_decode must be false for a decode');
  }
}

/** @param claim the cached tokens of the prefill, where it is known */
function claimed(params: JsonObject, key: string, claim: () => number | undefined): KvSource {
  return (params[key] ?? undefined) === undefined ? LOCAL : { remote: true, cachedTokens: claim() ?? 0 };
}

const NIXL_KEYS = ['remote_engine_id', 'remote_block_ids', 'remote_host', 'remote_port'] as const;

function requireWholeDescriptor(params: JsonObject): void {
  const missing = NIXL_KEYS.filter((key) => (params[key] ?? undefined) === undefined);
  if (missing.length > 0 && missing.length < NIXL_KEYS.length) {
    throw new WireError(`kv_transfer_params lacks ${missing.join(', ')}`);
  }
}

/** A part's `uuid` is the key under which its embeddings are looked up, so it must be the part's own hash. */
function requireOwnUuids(body: JsonObject): void {
  asList(body['messages'], 'messages').forEach((message, m) => {
    const content = isObject(message) && Array.isArray(message['content']) ? message['content'] : [];
    content.forEach((part: unknown, p) => {
      if (!isObject(part) || part['uuid'] === undefined) return;
      const item = mediaItem(part, `messages[${m}].content[${p}]`);
      if (item !== undefined && item.hash !== part['uuid']) {
        throw new WireError(`messages[${m}].content[${p}].uuid is not the hash of its content, ${item.hash}`);
      }
    });
  });
}
