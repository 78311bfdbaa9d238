import { JsonObject, rawJson } from '#json';
import type { Rope } from '#json';
import type { ApiType } from '../api-type.ts';

const ONE = rawJson('1');
const FALSE = rawJson('false');
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
      return { sampling_params: samplingParams(body) };
  }
}

function present(body: JsonObject, ...names: readonly string[]): Members {
  return Object.fromEntries(names.filter((name) => body.has(name)).map((name) => [name, ONE]));
}

function samplingParams(body: JsonObject): Rope {
  const sampling = body.get('sampling_params');
  const own = JsonObject.of(sampling?.kind === 'object' ? sampling.bytes : Buffer.from('{}'));
  return own.setAll({ max_tokens: ONE, ...present(own, 'min_tokens') }).toRope();
}
