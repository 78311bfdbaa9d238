import type { UpstreamCall } from '#gateway';
import type { JsonObject } from '#json';
import type { HostPort, RequestScope } from '#protocol';
import type { ApiType } from './api-type.ts';
import type { DisaggWatch } from './disagg.observer.ts';
import type { RoutingHints } from './routing-hints.ts';

/** One of the sidecar's listeners and the engine behind it; there is one for each data-parallel rank. */
export interface RankListener {
  /** From 0; the listener of rank 0 is the base listener. */
  readonly rank: number;
  readonly port: number;
  /** Base URL of the engine. */
  readonly decoder: string;
}

/** A body to send on. */
export interface OutboundBody {
  /** A short one is whole, so that a call whose connection broke can be repeated; a long one is sent as it arrives. */
  readonly body: UpstreamCall['body'];
  /** What describes it, and frames one that is sent as it arrives; flat, lower-case. */
  readonly headers: readonly string[];
}

/** The body while it has not been read: as it arrives, or whole. One of the two, once. */
export interface InboundBody {
  /** @throws as `bytes`, where the body is short */
  stream(): OutboundBody | Promise<OutboundBody>;
  /** @throws BadRequestError when it is too large, ClientClosedError when it breaks off */
  bytes(): Promise<Buffer>;
}

/** An inference request as it came in. */
export interface DisaggRequest {
  /** Its headers have no routing header any more. */
  readonly scope: RequestScope;
  /** Path and query; every leg but those of encode has the same. */
  readonly path: string;
  readonly apiType: ApiType;
  readonly hints: RoutingHints;
  readonly listener: RankListener;
  readonly body: InboundBody;
  readonly watch: DisaggWatch;
}

/** The same with its body read. */
export interface ReadRequest extends DisaggRequest {
  /** As the client sent it. */
  readonly received: Buffer;
  /** What legs are made of; the encode stage adds to it. */
  readonly json: JsonObject;
  /** What `received` holds, where `json` has more than that. */
  readonly own?: JsonObject;
}

/** A request for a remote prefill. */
export interface TransferRequest extends ReadRequest {
  readonly prefiller: HostPort;
  /** The pod to pull a cached prefix from; never the prefiller itself, and only where the connector can. */
  readonly source: HostPort | undefined;
}
