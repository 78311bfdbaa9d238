import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../control/json-value.ts';
import type { InferenceApi } from './inference-api.ts';

/** A call to a worker with its body read. */
export interface WorkerCall {
  readonly api: InferenceApi;
  readonly body: JsonObject;
  /** The body as it came: some numbers have more digits than JavaScript can hold. */
  readonly bytes: Buffer;
  readonly headers: IncomingHttpHeaders;
  /** Of the request that the call is part of. */
  readonly requestId: string | undefined;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
}

/** A worker as others are told of it. */
export interface Peer {
  readonly engineId: string;
  readonly host: string;
  readonly port: number;
}
