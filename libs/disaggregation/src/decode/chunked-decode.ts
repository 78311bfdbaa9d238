import type { JsonObject } from '#json';
import type { ClientResponse } from '#pipeline';
import type { ReadRequest } from '../disagg-request.ts';

/** Makes one answer of several calls of bounded length (`sidecar.md` 6). */
export abstract class ChunkedDecode {
  /** @param body what the engine is to be sent, transfer parameters included */
  abstract run(request: ReadRequest, body: JsonObject): Promise<ClientResponse>;
}
