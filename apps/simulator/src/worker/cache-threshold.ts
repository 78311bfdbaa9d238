import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';

/**
 * Whether a request wants no answer, since less of its prompt is cached than the share that it asks for as `cache_hit_threshold`.
 * @throws WireError 400 for a share that is none
 */
export function isBelowThreshold(body: JsonObject, cachedTokens: number, promptTokens: number): boolean {
  const threshold = body['cache_hit_threshold'] ?? 0;
  if (typeof threshold !== 'number' || threshold < 0 || threshold > 1)
    throw new WireError('cache_hit_threshold must be a number from 0 to 1');
  return cachedTokens < threshold * promptTokens;
}
