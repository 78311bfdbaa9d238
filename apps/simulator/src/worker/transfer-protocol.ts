import type { JsonObject } from '../control/json-value.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { Peer, WorkerCall } from './worker-call.ts';

/** `remote`: the prompt's KV comes from a prefill, which found `cachedTokens` of it in its own cache. */
export interface KvSource {
  readonly remote: boolean;
  readonly cachedTokens: number;
}

/** Decode computes the prompt itself. */
export const LOCAL: KvSource = { remote: false, cachedTokens: 0 };

/**
 * Leaves a computed prompt to decode.
 * @param cachedTokens prompt tokens that prefill had in its cache
 * @returns `kv_transfer_params` of prefill's answer, which waits for them
 */
export type HandOver = (cachedTokens: number) => JsonObject | null | Promise<JsonObject | null>;

/**
 * How the workers of a cluster hand embeddings and KV blocks on, as far as calls show it: what each must be sent, and what it says.
 * Every method throws WireError 400 for a call that an engine could do nothing with.
 */
export abstract class TransferProtocol {
  /** The one item that an encode call is about. */
  abstract item(call: WorkerCall): MediaItem;

  /** What is known of it when it is encoded, beside the ordinary answer. */
  abstract encoded(call: WorkerCall, item: MediaItem, peer: Peer): JsonObject;

  /** Looks at a prefill before it is computed. */
  abstract prefill(call: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver;

  /** Where decode gets the prompt's KV from; waits for a prefill that runs at the same time. */
  abstract decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource>;
}
