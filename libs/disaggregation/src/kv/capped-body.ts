import type { JsonObject, Rope } from '#json';
import { FALSE, ONE, samplingParams } from '../api-type.ts';
import type { ApiType } from '../api-type.ts';

type Members = Readonly<Record<string, Rope>>;

/**
 * The body of a leg that is to make one token and no stream, with as little added as that takes: the limit that the API type has
 * is 1, the others only where the client sent them, so that no minimum is above it (`sidecar.md` 4.1, 17.8).
 */
export function cappedBody(body: JsonObject, apiType: ApiType): JsonObject {
  return body.remove('stream_options').setAll({ ...limits(body, apiType), stream: FALSE });
}

function limits(body: JsonObject, apiType: ApiType): Members {
  switch (apiType) {
    case 'chat_completions':
      return { max_tokens: ONE, ...present(body, 'max_completion_tokens', 'min_tokens') };
    case 'responses':
      return { max_output_tokens: ONE, ...present(body, 'min_tokens') };
    case 'generate':
      return { sampling_params: cappedSampling(body) };
  }
}

function present(body: JsonObject, ...names: readonly string[]): Members {
  return Object.fromEntries(names.filter((name) => body.has(name)).map((name) => [name, ONE]));
}

function cappedSampling(body: JsonObject): Rope {
  const own = samplingParams(body);
  return own.setAll({ max_tokens: ONE, ...present(own, 'min_tokens') }).toRope();
}
