import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { samplingFields } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';

/** Encode and prefill make one token and answer at once. @throws WireError 400 */
export function requireSingleToken(api: InferenceApi, body: JsonObject): void {
  const fields = samplingFields(api, body);
  const cap = api === 'responses' ? 'max_output_tokens' : 'max_tokens';
  requireValue(fields, cap, 1);
  if (api === 'chat' && 'max_completion_tokens' in body) requireValue(body, 'max_completion_tokens', 1);
  requireValue(body, 'stream', false);
  if (body['stream_options'] !== undefined) throw new WireError('stream_options can only be set with stream: true');
  const minimum = fields['min_tokens'];
  if (typeof minimum === 'number' && minimum > 1) throw new WireError(`min_tokens is ${minimum}, ${cap} is 1`);
}

/** Nothing is kept of a call whose answer no client sees. @throws WireError 400 */
export function requireUnstored(api: InferenceApi, body: JsonObject): void {
  if (api === 'responses') requireValue(body, 'store', false);
}

/** Every limit of the API is 1, whether a client would send it or not. @throws WireError 400 */
export function requireEveryLimit(api: InferenceApi, body: JsonObject): void {
  const fields = samplingFields(api, body);
  for (const limit of LIMITS[api]) requireValue(fields, limit, 1);
}

const LIMITS: Readonly<Record<InferenceApi, readonly string[]>> = {
  chat: ['max_tokens', 'max_completion_tokens', 'min_tokens'],
  completions: ['max_tokens', 'max_completion_tokens', 'min_tokens'],
  responses: ['max_output_tokens'],
  generate: ['max_tokens', 'min_tokens'],
};

function requireValue(fields: JsonObject, key: string, needed: number | boolean): void {
  if (fields[key] !== needed) throw new WireError(`${key} must be ${needed}, got ${JSON.stringify(fields[key])}`);
}
