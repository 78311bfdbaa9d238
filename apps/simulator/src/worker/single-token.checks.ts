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
  if (api === 'responses') requireValue(body, 'store', false);
  requireValue(body, 'stream', false);
  if (body['stream_options'] !== undefined) throw new WireError('stream_options can only be set with stream: true');
  const minimum = fields['min_tokens'];
  if (typeof minimum === 'number' && minimum > 1) throw new WireError(`min_tokens is ${minimum}, ${cap} is 1`);
}

function requireValue(fields: JsonObject, key: string, needed: number | boolean): void {
  if (fields[key] !== needed) throw new WireError(`${key} must be ${needed}, got ${JSON.stringify(fields[key])}`);
}
