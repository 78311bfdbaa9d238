import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import type { MediaItem } from '../render/media-item.ts';
import type { RenderedPrompt } from '../render/rendered-prompt.ts';
import { TransferProtocol } from '../worker/transfer-protocol.ts';
import type { HandOver, KvSource } from '../worker/transfer-protocol.ts';
import type { Peer, WorkerCall } from '../worker/worker-call.ts';
import type { SidecarEc } from './sidecar-ec.ts';
import type { SidecarKv } from './sidecar-kv.ts';

const ROUTING = ['x-prefiller-host-port', 'x-encoder-hosts-ports', 'x-kv-cache-source-host-port'] as const;

/** The connectors of the decode sidecar. */
export class SidecarProtocol extends TransferProtocol {
  constructor(
    private readonly kv: SidecarKv,
    private readonly ec: SidecarEc,
  ) {
    super();
  }

  item(call: WorkerCall): MediaItem {
    requireLegHeaders(call.headers);
    return this.ec.item(call);
  }

  encoded(call: WorkerCall, item: MediaItem, peer: Peer): JsonObject {
    return this.ec.encoded(call, item, peer);
  }

  prefill(call: WorkerCall, prompt: RenderedPrompt, peer: Peer): HandOver {
    requireLegHeaders(call.headers);
    this.ec.require(call, prompt);
    return this.kv.prefill(call, prompt, peer);
  }

  decode(call: WorkerCall, prompt: RenderedPrompt): Promise<KvSource> {
    requireLegHeaders(call.headers);
    this.ec.require(call, prompt);
    return this.kv.decode(call, prompt);
  }
}

/** What the endpoint picker told the sidecar stays there, and a call has one id. @throws WireError 400 */
function requireLegHeaders(headers: IncomingHttpHeaders): void {
  const left = ROUTING.find((name) => name in headers);
  if (left !== undefined) throw new WireError(`${left} is for the sidecar`);
  const id = headers['x-request-id'];
  // Node joins what comes several times
  if (typeof id !== 'string' || id.includes(', ')) throw new WireError('a call has one x-request-id');
}
