import { rawJson } from '#json';
import type { JsonObject } from '#json';

const ZERO = rawJson('0');

/** The body of a request that has been through the encode stage: the engine is not to ask for more of it in its cache (`sidecar.md` 5.6). */
export function encodedBody(body: JsonObject): JsonObject {
  return body.set('cache_hit_threshold', ZERO);
}
