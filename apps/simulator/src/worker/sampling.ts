import { isObject } from '../control/json-value.ts';
import type { JsonObject } from '../control/json-value.ts';
import { WireError } from '../control/wire-error.ts';
import { samplingFields } from './inference-api.ts';
import type { InferenceApi } from './inference-api.ts';
import { requestedTool } from './tool-call.ts';
import type { ToolRequest } from './tool-call.ts';

/** How much is to be generated and what is to be said about it. */
export interface Sampling {
  readonly model: string;
  readonly stream: boolean;
  /** Tokens of a choice at most; undefined: as many as come. */
  readonly maxTokens: number | undefined;
  readonly minTokens: number;
  readonly choices: number;
  /** Alternatives listed for each token; undefined without `logprobs`. */
  readonly topLogprobs: number | undefined;
  readonly includeUsage: boolean;
  readonly ignoreEos: boolean;
  readonly tool: ToolRequest | undefined;
}

/** What vLLM generates where the request sets no limit, by API. */
const DEFAULT_MAX_TOKENS: Readonly<Partial<Record<InferenceApi, number>>> = { completions: 16, generate: 16 };

/** @throws WireError 400 */
export function samplingOf(api: InferenceApi, body: JsonObject): Sampling {
  const fields = samplingFields(api, body);
  const minTokens = integer(fields, 'min_tokens', 0) ?? 0;
  const maxTokens = maxTokensOf(api, fields) ?? DEFAULT_MAX_TOKENS[api];
  if (maxTokens !== undefined && minTokens > maxTokens)
    throw new WireError(`min_tokens is ${minTokens}, the limit is ${maxTokens}`);
  const options = body['stream_options'];
  const stream = body['stream'] === true;
  if (!stream && isObject(options)) throw new WireError('stream_options can only be set with stream: true');
  return {
    model: typeof body['model'] === 'string' ? body['model'] : '',
    stream,
    maxTokens,
    minTokens,
    choices: integer(fields, 'n', 1) ?? 1,
    topLogprobs: topLogprobsOf(api, fields),
    includeUsage: isObject(options) && options['include_usage'] === true,
    ignoreEos: fields['ignore_eos'] === true,
    tool: requestedTool(api, body),
  };
}

function maxTokensOf(api: InferenceApi, fields: JsonObject): number | undefined {
  switch (api) {
    case 'chat':
      return integer(fields, 'max_completion_tokens', 1) ?? integer(fields, 'max_tokens', 1);
    case 'responses':
      return integer(fields, 'max_output_tokens', 1);
    case 'completions':
    case 'generate':
      return integer(fields, 'max_tokens', 1);
  }
}

/** Chat has a switch and a number, completions and generate a number alone. */
function topLogprobsOf(api: InferenceApi, fields: JsonObject): number | undefined {
  if (api === 'chat') return fields['logprobs'] === true ? (integer(fields, 'top_logprobs', 0) ?? 0) : undefined;
  return api === 'responses' ? undefined : integer(fields, 'logprobs', 0);
}

function integer(fields: JsonObject, key: string, least: number): number | undefined {
  const value = fields[key] ?? undefined;
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || Number(value) < least)
    throw new WireError(`${key} must be an integer of at least ${least}`);
  return Number(value);
}
