import { JsonObject, rawJson } from '#json';

/** Which fields limit an answer's length; traces and metrics call it the same. */
export type ApiType = 'chat_completions' | 'responses' | 'generate';

/** The paths that are driven through stages, matched exactly (`sidecar.md` 2). */
const PATHS: Readonly<Record<string, ApiType>> = {
  '/v1/chat/completions': 'chat_completions',
  '/v1/completions': 'chat_completions',
  '/v1/messages': 'chat_completions',
  '/v1/responses': 'responses',
  '/inference/v1/generate': 'generate',
};

export const DISAGGREGATED_PATHS: readonly string[] = Object.keys(PATHS);

/** @param path without a query */
export function apiTypeOf(path: string): ApiType | undefined {
  return PATHS[path];
}

const LIMITS: Readonly<Record<ApiType, readonly string[]>> = {
  chat_completions: ['max_tokens', 'max_completion_tokens', 'min_tokens'],
  responses: ['max_output_tokens'],
  generate: ['max_tokens', 'min_tokens'],
};

/** Values of a leg for one token. */
export const ONE = rawJson('1');
export const FALSE = rawJson('false');

/**
 * The body of a leg that is to make one token and no stream: every limit of the API type is 1, whether it was there or not
 * (`sidecar.md` 4.2). The limits of `generate` lie in `sampling_params`, which is made where it is no object.
 */
export function singleToken(body: JsonObject, apiType: ApiType): JsonObject {
  const limits = Object.fromEntries(LIMITS[apiType].map((field) => [field, ONE]));
  const rest = body.remove('stream_options');
  if (apiType !== 'generate') return rest.setAll({ stream: FALSE, ...limits });
  return rest.setAll({ stream: FALSE, sampling_params: samplingParams(rest).setAll(limits).toRope() });
}

/** `sampling_params` of a body; an empty object where it is none. */
export function samplingParams(body: JsonObject): JsonObject {
  const sampling = body.get('sampling_params');
  return JsonObject.of(sampling?.kind === 'object' ? sampling.bytes : Buffer.from('{}'));
}
