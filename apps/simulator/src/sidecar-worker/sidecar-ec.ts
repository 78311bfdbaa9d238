import { isDeepStrictEqual } from 'node:util';
import { asObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import type { EcRegistry } from '../worker/ec-registry.ts';
import { onlyPart } from '../worker/encode.checks.ts';
import { requireSingleToken } from '../worker/single-token.checks.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';

const KEPT_REQUESTS = 1000;
/** `<request>-enc-<item>`, as each encode call is called. */
const ENCODE_ID = /-enc-\d+$/;
/** What a client sent that is no business of an encode worker's. */
const CLIENT_ONLY = ['authorization', 'cookie', 'x-forwarded-for'] as const;

/**
 * The engines' side of `--ec-connector` (`sidecar.md` 5). What has been encoded for a request is demanded by whoever gets the request
 * next; a medium that was not, a worker encodes itself.
 */
export class SidecarEc {
  /** By request, what its items' hashes were answered with. */
  private readonly requests = new Map<string, Map<string, readonly JsonObject[]>>();

  /** @param says whether encode workers say where embeddings lie (`ec-nixl`); they are in a common store otherwise */
  constructor(
    private readonly registry: EcRegistry,
    private readonly says: boolean,
  ) {}

  /** @throws WireError 400 */
  item({ api, body, headers }: WorkerCall): MediaItem {
    const sent = CLIENT_ONLY.find((name) => name in headers);
    if (sent !== undefined) throw new WireError(`encode takes no ${sent} of a client's`);
    if (!ENCODE_ID.test(String(headers['x-request-id']))) throw new WireError('x-request-id must end in -enc-<index>');
    if (api !== 'chat') throw new WireError('encode is asked as a chat');
    requireSingleToken(api, body);
    return onlyPart(body, 'messages');
  }

  encoded({ requestId = '' }: WorkerCall, { hash, length }: MediaItem, { host, port, engineId }: Peer): JsonObject {
    const descriptor = this.registry.issue(hash, length, { host, port, agent: engineId });
    const known = this.requests.get(requestId) ?? new Map<string, readonly JsonObject[]>();
    known.set(hash, [...(known.get(hash) ?? []), descriptor]);
    this.requests.set(requestId, known);
    const [oldest] = this.requests.keys();
    if (this.requests.size > KEPT_REQUESTS && oldest !== undefined) this.requests.delete(oldest);
    return this.says ? { ec_transfer_params: { [hash]: descriptor } } : {};
  }

  /** Of a prefill or a decode. @throws WireError 400 */
  require({ body, requestId = '' }: WorkerCall, { items }: RenderedPrompt): void {
    const encoded = this.requests.get(requestId);
    const { ec_transfer_params: sent } = body;
    if (encoded === undefined || !this.says) {
      if (sent !== undefined) throw new WireError('ec_transfer_params is for what an encode worker has answered');
    } else {
      requireDescriptors(asObject(sent, 'ec_transfer_params'), encoded);
    }
    if (encoded === undefined) return;
    const other = [...encoded.keys()].find((hash) => !items.some((item) => item.hash === hash));
    if (other !== undefined) throw new WireError(`${other} was encoded, and is not in the prompt`);
    if (body['cache_hit_threshold'] !== 0) throw new WireError('cache_hit_threshold must be 0 behind an encode');
  }
}

function requireDescriptors(sent: JsonObject, encoded: ReadonlyMap<string, readonly JsonObject[]>): void {
  const missing = [...encoded.keys()].find((hash) => !(hash in sent));
  if (missing !== undefined) throw new WireError(`ec_transfer_params lacks ${missing}`);
  for (const [hash, descriptor] of Object.entries(sent)) {
    if (!(encoded.get(hash) ?? []).some((known) => isDeepStrictEqual(known, descriptor)))
      throw new WireError(`ec_transfer_params.${hash} is not what an encode worker has answered`);
  }
}

/** The request that an encode call is part of. */
export function requestOfEncode(requestId: string | undefined): string | undefined {
  return requestId?.replace(ENCODE_ID, '');
}
