import { isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';

/** The four request forms, by their paths. */
export const API_PATHS = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  generate: '/inference/v1/generate',
} as const;
export type InferenceApi = keyof typeof API_PATHS;

/** Where sampling options are: at the top, or in `sampling_params` for generate. */
export function samplingFields(api: InferenceApi, body: JsonObject): JsonObject {
  if (api !== 'generate') return body;
  return isObject(body['sampling_params']) ? body['sampling_params'] : {};
}

/** `kv_transfer_params` or `ec_transfer_params`: at the top, or in `sampling_params.extra_args` for generate. Null counts as absent. */
export function transferParams(
  api: InferenceApi,
  body: JsonObject,
  key: 'kv_transfer_params' | 'ec_transfer_params',
): unknown {
  const extra = samplingFields(api, body)['extra_args'];
  const nested = api === 'generate' && isObject(extra) ? extra[key] : undefined;
  return nested ?? body[key] ?? undefined;
}
